import { afterAll, expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { run, runJson, serve } from "../support/binary.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";

interface Made {
  apiToken: { id: string; token: string };
}

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) {
    Bun.spawnSync(["umount", "--lazy", folder]);
    rmSync(folder, { recursive: true, force: true });
  }
});

function mount(folder: string, options: string) {
  const { exitCode, stderr } = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder]);
  if (exitCode !== 0) throw new Error(`this test needs to mount a small disk: ${stderr}`);
}

async function initialised(data: string): Promise<string> {
  const made = await runJson<Made>(["init", "--data", data, "--org", "Example", "--admin-email", "a@example.org"]);
  await run(["token", "update", made.apiToken.id, "--limit", "1000000", "--data", data]);
  return made.apiToken.token;
}

function create(url: string, token: string, key: string, size: number) {
  return fetch(`${url}/api/v1/tickets`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify({ title: "Fills the disk", description: "d".repeat(size) }),
  });
}

test("a full disk is 503, loses nothing, lets deletes through and heals without a restart", async () => {
  const folder = temporaryFolder();
  folders.push(folder);
  mount(folder, "size=64m");
  const data = `${folder}/data`;
  mkdirSync(data, { mode: 0o700 });
  const token = await initialised(data);
  const server = await serve(data);

  const ready = async () => ((await fetch(`${server.url}/readyz`)).status === 200 ? true : undefined);
  const acknowledged: { key: string; text: string }[] = [];
  let refused: Response | undefined;
  for (let i = 0; i < 20_000; i++) {
    const response = await create(server.url, token, `fill-${i}`, 20_000);
    if (response.status === 201) {
      acknowledged.push({ key: `fill-${i}`, text: await response.text() });
      continue;
    }
    refused = response;
    // Copying the log back into the database can free space once; the disk is full when that does not help.
    const healed = await until(ready, 3).catch(() => false);
    if (!healed) break;
  }
  expect(refused?.status).toBe(503);
  expect(refused?.headers.get("retry-after")).toBe("1");
  expect(await refused?.json()).toMatchObject({ error: "service_unavailable" });

  // Deleting frees space on the full disk itself.
  const ids = acknowledged.slice(0, 5).map(({ text }) => (JSON.parse(text) as { id: string }).id);
  for (const id of ids) expect(await run(["ticket", "delete", id, "--data", data])).toMatchObject({ code: 0 });

  mount(folder, "remount,size=128m");
  await until(ready);
  const after = await create(server.url, token, "after", 10);
  expect(after.status).toBe(201);
  for (const { key, text } of acknowledged) {
    const replay = await create(server.url, token, key, 20_000);
    expect(await replay.text()).toBe(text);
  }
  expect(await server.stop()).toBe(0);
  expect((await run(["doctor", "--data", data])).stdout).toContain("every page and index is sound");
}, 180_000);

test("a failed fsync ends the process with 70, and what was acknowledged is there", async () => {
  const data = temporaryFolder();
  folders.push(data);
  const token = await initialised(data);
  const inject = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync"];
  const server = await serve(data, [], { before: [...inject, "-e", "inject=fsync,fdatasync:error=EIO:when=25"] });
  const acknowledged: { key: string; text: string }[] = [];
  for (let i = 0; i < 200; i++) {
    const response = await create(server.url, token, `k-${i}`, 10).catch(() => undefined);
    if (!response) break;
    // Never a 503, because nobody knows whether that ticket is on the disk.
    expect(response.status).toBe(201);
    acknowledged.push({ key: `k-${i}`, text: await response.text() });
  }
  expect(await server.exited).toBe(70);
  expect(server.stderr()).toContain("storage can no longer be trusted");
  expect(acknowledged.length).toBeGreaterThan(0);

  const again = await serve(data);
  for (const { key, text } of acknowledged) {
    expect(await (await create(again.url, token, key, 10)).text()).toBe(text);
  }
  await again.stop();
}, 180_000);

test("every ticket is synced before its answer, also right after what is written without a sync of its own", async () => {
  const data = temporaryFolder();
  folders.push(data);
  const token = await initialised(data);
  const calls = join(data, "..", `${basename(data)}-calls`);
  folders.push(calls);
  // With -D the server is the process that is started, so that it is the server that is told to stop.
  const trace = [
    "strace",
    "-D",
    "-f",
    "-qq",
    "-s",
    "16",
    "-o",
    calls,
    "-e",
    "trace=fsync,fdatasync,write,writev,sendto,sendmsg",
  ];
  const server = await serve(data, [], { before: trace });
  const tickets = 30;
  for (let i = 0; i < tickets; i++) {
    expect((await create(server.url, token, `k-${i}`, 10)).status).toBe(201);
    // Long enough for the card to be indexed in between, which commits without a sync.
    await Bun.sleep(110);
  }
  expect(await server.stop()).toBe(0);

  let synced = false;
  let answers = 0;
  for (const line of readFileSync(calls, "utf8").split("\n")) {
    if (/f(data)?sync\(.*= 0$|<\.\.\. f(data)?sync resumed>.*= 0$/.test(line)) synced = true;
    if (!line.includes("HTTP/1.1 201")) continue;
    answers++;
    expect({ answers, synced }).toEqual({ answers, synced: true });
    synced = false;
  }
  expect(answers).toBe(tickets);
}, 180_000);
