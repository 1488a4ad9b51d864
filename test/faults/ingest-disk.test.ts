import { afterAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, rmSync, statfsSync, truncateSync, writeFileSync } from "node:fs";
import { type RunningBinary, run, runJson, serve } from "../support/binary.ts";
import { attachment, boundary, envelope, form, type PartInput, submit } from "../support/ingest.ts";
import { RawRequest } from "../support/raw-request.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) {
    Bun.spawnSync(["umount", "--lazy", folder]);
    rmSync(folder, { recursive: true, force: true });
  }
});

interface SmallDisk {
  data: string;
  server: RunningBinary;
  token: string;
  key: string;
  report(value: unknown, ...attachments: PartInput[]): Promise<Response>;
  ticket(): Promise<Response>;
  free(): number;
  /** Fills the disk until this many bytes are left. */
  fill(left: number): void;
  kept(): string[];
}

async function smallDisk(mebibytes: number): Promise<SmallDisk> {
  const folder = temporaryFolder();
  folders.push(folder);
  const mount = ["mount", "-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs", folder];
  const { exitCode, stderr } = Bun.spawnSync(mount);
  if (exitCode !== 0) throw new Error(`this test needs to mount a small disk: ${stderr}`);
  const data = `${folder}/data`;
  mkdirSync(data, { mode: 0o700 });
  const made = await runJson<{ apiToken: { token: string }; sdkKey: { key: string } }>([
    ...["init", "--data", data, "--org", "Example", "--admin-email", "a@example.org"],
  ]);
  const server = await serve(data, ["--rate-limits", "off"]);
  const send = (path: string, init?: RequestInit) => fetch(server.url + path, init);
  const { token } = made.apiToken;
  const free = () => {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  };
  return {
    data,
    server,
    token,
    key: made.sdkKey.key,
    free,
    report: (value, ...attachments) =>
      submit({ send }, { key: made.sdkKey.key, parts: [envelope(value), ...attachments] }),
    ticket: () =>
      send("/api/v1/tickets", {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ title: "Still taken" }),
      }),
    fill(left) {
      writeFileSync(`${folder}/fill`, "", { flag: "a" });
      const size = Bun.file(`${folder}/fill`).size + free() - left;
      if (size < Bun.file(`${folder}/fill`).size) truncateSync(`${folder}/fill`, Math.max(0, size));
      else writeFileSync(`${folder}/fill`, new Uint8Array(size));
    },
    kept: () => [...new Bun.Glob("*/*").scanSync(`${data}/attachments`)].sort(),
  };
}

test("uploads that were let in leave the room of tickets, and later ones are 503 until there is room", async () => {
  const disk = await smallDisk(200);
  const mebibyte = 1_048_576;
  disk.fill(40 * mebibyte);
  const content = Buffer.alloc(12 * mebibyte, "large ");
  const bodies = Array.from({ length: 8 }, (_, n) => form([envelope({ n }), attachment(content)]));
  // Each is admitted or refused by its head and first bytes, before bytes of the others are on the disk.
  const all = bodies.map((body) => {
    const head = ["POST /api/ingest HTTP/1.1", "Host: intake", `Authorization: Bearer ${disk.key}`];
    head.push(`Content-Type: multipart/form-data; boundary=${boundary}`, `Content-Length: ${body.length}`);
    return { request: new RawRequest(disk.server, head), body };
  });
  await Promise.all(all.map(({ request, body }) => request.send(body.subarray(0, mebibyte))));
  const refused = () => all.filter(({ request }) => request.over);
  const [late] = await until(() => (refused().length >= 7 ? refused() : undefined));
  const admitted = all.filter(({ request }) => !request.over);
  expect(admitted.length).toBe(1);
  const answer = await late?.request.answer();
  expect([answer?.status, Number(answer?.headers.get("retry-after"))]).toEqual([503, 1]);
  for (const { request } of refused()) expect((await request.answer()).status).toBe(503);
  expect((await disk.report({ small: true })).status).toBe(200);

  const { request, body } = admitted[0] ?? {};
  for (let at = mebibyte; body && request && at < body.length; at += mebibyte) {
    await request.send(body.subarray(at, at + mebibyte));
    expect((await disk.ticket()).status).toBe(201);
  }
  expect((await request?.answer())?.status).toBe(200);
  for (let n = 0; n < 50; n++) expect((await disk.ticket()).status).toBe(201);
  // 5 % of the disk.
  expect(disk.free()).toBeGreaterThan(10 * mebibyte);
  // The file that was written is still there, so the next report is refused; then the test frees space.
  const again = () => disk.report({ again: true }, attachment(content));
  expect((await again()).status).toBe(503);
  disk.fill(60 * mebibyte);
  await until(async () => ((await again()).status === 200 ? true : undefined));
  for (const { request } of all) request.close();
  expect(await disk.server.stop()).toBe(0);
}, 180_000);

test("an upload without a declared length is let in when there is room for the largest", async () => {
  const disk = await smallDisk(200);
  const body = form([envelope({ n: 1 }), attachment(Buffer.alloc(100_000))]);
  const chunked = async () => {
    const head = ["POST /api/ingest HTTP/1.1", "Host: intake", `Authorization: Bearer ${disk.key}`];
    head.push(`Content-Type: multipart/form-data; boundary=${boundary}`, "Transfer-Encoding: chunked");
    const request = new RawRequest(disk.server, head);
    await request.sendChunk(body);
    await request.send("0\r\n\r\n");
    const { status } = await request.answer();
    request.close();
    return status;
  };
  disk.fill(44 * 1_048_576);
  expect(await chunked()).toBe(503);
  disk.fill(60 * 1_048_576);
  expect(await until(async () => ((await chunked()) === 200 ? 200 : undefined))).toBe(200);
  expect(await disk.server.stop()).toBe(0);
}, 180_000);

const uploads = (data: string) => readdirSync(`${data}/uploads`);

test("below 5 % free, reports are 503 and tickets go on; with room, reports go on without a restart", async () => {
  const disk = await smallDisk(200);
  const value = { reportId: crypto.randomUUID() };
  expect((await disk.report(value, attachment("before"))).status).toBe(200);
  disk.fill(9 * 1_048_576);
  await until(async () => ((await disk.report({ unique: crypto.randomUUID() })).status === 503 ? true : undefined));
  const kept = disk.kept();
  const refused = await disk.report({ n: 1 }, attachment("low"));
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect(refused.headers.get("access-control-allow-origin")).toBe("*");
  expect(await refused.json()).toMatchObject({ error: "service_unavailable", message: expect.any(String) });
  for (let n = 0; n < 20; n++) expect((await disk.ticket()).status).toBe(201);
  expect((await fetch(`${disk.server.url}/readyz`)).status).toBe(200);
  expect((await disk.report({ n: 2 })).status).toBe(503);
  const { code, stdout } = await run(["doctor", "--data", disk.data]);
  expect([code, stdout.includes("make room")]).toEqual([1, true]);

  disk.fill(60 * 1_048_576);
  const taken = await until(async () => {
    const response = await disk.report({ n: 1 }, attachment("low"));
    return response.status === 200 ? response : undefined;
  });
  // The refused report was not remembered, so that sending it again stores it.
  expect(await taken.json()).toMatchObject({ idempotent: false });
  expect(await (await disk.report(value, attachment("before"))).json()).toMatchObject({ idempotent: true });
  expect(disk.kept().length).toBe(kept.length + 1);
  expect(uploads(disk.data)).toEqual([]);
  expect(await disk.server.stop()).toBe(0);
}, 180_000);

test("an upload that fills the disk is 503, nothing half-done stays, and it is taken once there is room", async () => {
  const disk = await smallDisk(200);
  // More than 5 % is free, so the report is admitted, but less than it needs.
  disk.fill(14 * 1_048_576);
  const kept = disk.kept();
  const value = { reportId: crypto.randomUUID() };
  const large = attachment(crypto.getRandomValues(new Uint8Array(65_536)).toHex().repeat(150), 0);
  const more = attachment("small", 1);
  expect((await disk.report({ n: 0 })).status).toBe(200);
  const refused = await disk.report(value, large, more);
  expect([refused.status, await refused.json()]).toMatchObject([503, { error: "service_unavailable" }]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  await until(() => uploads(disk.data).length === 0 || undefined);
  expect(disk.kept()).toEqual(kept);
  expect((await disk.ticket()).status).toBe(201);

  disk.fill(100 * 1_048_576);
  const taken = await until(async () => {
    const response = await disk.report(value, large, more);
    return response.status === 200 ? ((await response.json()) as { eventId: string }) : undefined;
  });
  expect(taken).toMatchObject({ idempotent: false });
  const output = `${disk.data}/../out`;
  await runJson(["event", "attachment", taken.eventId, "0", "--output", output, "--data", disk.data]);
  expect(await Bun.file(output).text()).toBe(large.body as string);
  expect(uploads(disk.data)).toEqual([]);
  expect(await disk.server.stop()).toBe(0);
  expect((await run(["doctor", "--data", disk.data])).stdout).toContain("every page and index is sound");
}, 180_000);

test("many uploads at once fill the disk: each is 200 or 503, and what was acknowledged is whole", async () => {
  const disk = await smallDisk(200);
  disk.fill(40 * 1_048_576);
  const contents = Array.from({ length: 24 }, (_, n) => Buffer.alloc(3_000_000, `content ${n} `));
  const answers: { n: number; status: number; eventId: string }[] = [];
  for (let from = 0; from < contents.length; from += 8) {
    const wave = contents.slice(from, from + 8).map(async (content, i) => {
      const response = await disk.report({ n: from + i }, attachment(content));
      const { eventId = "" } = (await response.json()) as { eventId?: string };
      return { n: from + i, status: response.status, eventId };
    });
    answers.push(...(await Promise.all(wave)));
  }
  const taken = answers.filter(({ status }) => status === 200);
  expect(taken.length).toBeGreaterThan(0);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]));
  await until(() => uploads(disk.data).length === 0 || undefined);
  expect(disk.kept().length).toBe(taken.length);
  disk.fill(120 * 1_048_576);
  await until(async () => ((await disk.report({ again: true })).status === 200 ? true : undefined));
  for (const { n, eventId } of taken) {
    const output = `${disk.data}/../out`;
    await runJson(["event", "attachment", eventId, "0", "--output", output, "--data", disk.data]);
    expect(Buffer.from(await Bun.file(output).bytes()).equals(contents[n] ?? Buffer.alloc(0))).toBe(true);
    expect(await (await disk.report({ n }, attachment(contents[n] ?? ""))).json()).toMatchObject({
      eventId,
      idempotent: true,
    });
  }
  await disk.server.stop("SIGKILL");
  expect((await run(["doctor", "--data", disk.data])).stdout).toContain("every page and index is sound");
}, 180_000);
