import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { binaryPath, requireBinary, run, runJson, serve } from "../support/binary.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

async function initialised(): Promise<{ data: string; token: string }> {
  const data = temporaryFolder();
  folders.push(data);
  const init = ["init", "--data", data, "--org", "Example", "--admin-email", "a@example.org"];
  const { apiToken } = await runJson<{ apiToken: { id: string; token: string } }>(init);
  await run(["token", "update", apiToken.id, "--limit", "1000000", "--data", data]);
  return { data, token: apiToken.token };
}

function create(url: string, token: string, title = "x") {
  return fetch(`${url}/api/v1/tickets`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ title, description: "d".repeat(5_000) }),
  });
}

/** Overwrites the root page of a table or index with invalid bytes. */
function damage(data: string, name: string) {
  const db = new Database(`${data}/intake.db`);
  const [row] = db.query<{ rootpage: number }, [string]>("select rootpage from sqlite_schema where name = ?").all(name);
  db.run("pragma wal_checkpoint(truncate)");
  db.close();
  if (!row) throw new Error(`there is no ${name}`);
  const file = openSync(`${data}/intake.db`, "r+");
  writeSync(file, Buffer.alloc(4_096, 0xff), 0, 4_096, (row.rootpage - 1) * 4_096);
  closeSync(file);
}

for (const [where, name] of [
  ["a read", "sqlite_autoindex_api_token_2"],
  ["a write", "ticket_order"],
] as const) {
  test(`damage that ${where} meets ends the server with 70`, async () => {
    const { data, token } = await initialised();
    damage(data, name);
    const server = await serve(data);
    const status = await create(server.url, token).then(
      (response) => response.status,
      () => 0,
    );
    expect([0, 503]).toContain(status);
    expect(await server.exited).toBe(70);
  });
}

test("a command on a damaged database ends with one line, and doctor says what to do", async () => {
  const { data } = await initialised();
  damage(data, "project_order");
  const { code, stderr } = await run(["project", "create", "--name", "P", "--data", data]);
  expect([code, stderr.trimEnd().split("\n").length]).toEqual([1, 1]);
  const doctor = await run(["doctor", "--data", data]);
  expect(doctor).toMatchObject({ code: 1, stdout: expect.stringContaining("restore a backup") });
});

test("a database that takes no more pages from the log ends the server before the log fills the disk", async () => {
  const { data, token } = await initialised();
  const inject = ["-e", "trace=pwrite64", "-P", `${data}/intake.db`, "-e", "inject=pwrite64:error=EIO:when=20+"];
  const server = await serve(data, [], { before: ["strace", "-f", "-qq", "-o", "/dev/null", ...inject] });
  let ended = false;
  void server.exited.then(() => {
    ended = true;
  });
  while (!ended) await Promise.allSettled(Array.from({ length: 32 }, () => create(server.url, token)));
  expect(await server.exited).toBe(70);
  expect(server.stderr()).toContain("storage cannot commit");
}, 180_000);

test("a full pipe on stderr stops no request", async () => {
  requireBinary();
  const { data } = await initialised();
  const child = Bun.spawn([binaryPath, "serve", "--data", data, "--port", "0", "--metrics", "off"], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const { value } = await child.stdout.getReader().read();
  const url = /listening on (\S+)/.exec(new TextDecoder().decode(value))?.[1] ?? "";
  // 50 refusals are logged in a second; after some six seconds the pipe of 64 KiB is full.
  for (let second = 0; second < 9; second++) {
    const over = Bun.sleep(1_000);
    for (let some = 0; some < 3; some++) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(`${url}/nowhere`)));
      expect(answers.every(({ status }) => status === 404)).toBe(true);
    }
    await over;
  }
  expect((await fetch(`${url}/livez`)).status).toBe(200);
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
}, 180_000);

test("a large delete by a command beside the server leaves the log bounded", async () => {
  const { data, token } = await initialised();
  const server = await serve(data);
  for (let i = 0; i < 60; i++) await Promise.all(Array.from({ length: 64 }, () => create(server.url, token)));
  const { items } = await runJson<{ items: { id: string }[] }>(["project", "list", "--data", data]);
  await run(["project", "delete", items[0]?.id ?? "", "--yes", "--data", data]);
  expect(Bun.file(`${data}/intake.db-wal`).size).toBeLessThanOrEqual(64 * 1024 * 1024);
  await until(async () => ((await fetch(`${server.url}/readyz`)).status === 200 ? true : undefined));
  await server.stop();
}, 180_000);
