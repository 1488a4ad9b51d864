import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { limits } from "../../openapi/schema/limits.ts";
import { runJson, serve } from "../support/binary.ts";
import { envelope, submit } from "../support/ingest.ts";
import { type DataFolder, newDataFolder } from "../support/installation.ts";

const directories: DataFolder[] = [];
afterAll(async () => {
  for (const { remove } of directories) await remove();
});

/** Processor time of a process with all its threads, in seconds. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  const ticksPerSecond = 100;
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Some 20 kB of gzip with an envelope of 5 MiB that has more than a million values. */
function hostile(n: number, reportId: string): Uint8Array {
  const values = ["{}", "[]", "1", '{"a":1}', "[".repeat(200) + "]".repeat(200)];
  const value = values[n % values.length] ?? "";
  const count = Math.floor((5 * 1_048_576 - 200) / (value.length + 1));
  return gzipSync(`{"reportId":"${reportId}","n":${n},"x":[${Array(count).fill(value).join(",")}]}`);
}

test("sixty small requests of one key that take long to read cost a bounded time, and nobody else notices", async () => {
  const directory = await newDataFolder();
  directories.push(directory);
  const data = directory.folder;
  const made = await runJson<{ sdkKey: { key: string }; project: { id: string } }>([
    ...["init", "--data", data, "--org", "Example", "--admin-email", "a@example.org"],
  ]);
  const other = await runJson<{ key: string }>([
    ...["key", "create", "--project", made.project.id, "--name", "Other", "--data", data],
  ]);
  // First in the line for a processor: one that gets less of it than the limit for any 60 s would refuse nobody.
  const server = await serve(data, [], { before: ["nice", "-n", "-15"] });
  const send = (path: string, init?: RequestInit) => fetch(server.url + path, init);
  const reportId = crypto.randomUUID();
  const bodies = Array.from({ length: 60 }, (_, n) => hostile(n, reportId));
  expect(Math.max(...bodies.map(({ length }) => length))).toBeLessThan(65_536);

  const before = cpuSeconds(server.pid);
  const began = performance.now();
  const answering = Promise.all(
    bodies.map((body) => submit({ send }, { key: made.sdkKey.key, parts: [envelope(body)] })),
  );
  // At the same time: an ordinary report, and a large one that is read on the same thread.
  const beside = [{ n: 1 }, { n: 2, list: Array.from({ length: 20_000 }, (_, i) => ({ i, text: "ordinary" })) }];
  for (const value of beside) {
    expect((await submit({ send }, { key: other.key, parts: [envelope(value)] })).status).toBe(200);
  }
  const answers = await answering;
  const spent = cpuSeconds(server.pid) - before;
  const windows = Math.ceil((performance.now() - began) / (limits.windowSeconds * 1_000));
  // The other 12 s cover garbage collection, decompression and everything else.
  expect(spent).toBeLessThan(windows * limits.readingSeconds + 12);
  const refused = answers.filter(({ status }) => status !== 200);
  expect(answers.length - refused.length).toBeGreaterThan(5);
  expect(refused.length).toBeGreaterThan(0);
  for (const response of refused) {
    expect([response.status, await response.json()]).toMatchObject([429, { error: "rate_limit_exceeded" }]);
    const seconds = Number(response.headers.get("retry-after"));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(70);
  }
  expect(await server.stop()).toBe(0);
}, 400_000);
