import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { newCredential } from "../../../server/core/credential.ts";
import { json, step } from "../fault-script.ts";
import { startFaultServer } from "../fault-server.ts";
import { commands, prepareScripts, type Scripts } from "./process.ts";

// What hangs is found; a slow machine is no failure.
setDefaultTimeout(180_000);

let scripts: Scripts;
beforeAll(async () => {
  scripts = await prepareScripts();
}, 600_000);
afterAll(() => scripts.remove());

for (const runtime of Object.keys(commands) as (keyof typeof commands)[]) {
  describe(`a queue in ${runtime} keeps no process alive`, () => {
    test.each(["memory", "a folder"])("while its key is held for an hour, in %s", async (where) => {
      const server = await startFaultServer([step(json(429, {}, { "retry-after": "3600" }))]);
      const store = where === "memory" ? {} : { folder: join(scripts.folder, crypto.randomUUID()) };
      const { exited, said } = scripts.start(runtime, {
        url: server.url,
        key: newCredential("isk_"),
        ...store,
        act: "capture",
      });
      expect(await exited).toBe(0);
      expect(said).toEqual([{ queued: 1 }]);
      expect(server.record().requests.length).toBe(1);
      server.close();
    });

    test("once it is idle", async () => {
      const server = await startFaultServer([step({ do: "accept" })]);
      const folder = join(scripts.folder, crypto.randomUUID());
      const { exited, said } = scripts.start(runtime, {
        url: server.url,
        key: newCredential("isk_"),
        folder,
        act: "deliver",
        count: 1,
      });
      expect(await exited).toBe(0);
      expect(said.at(-1)).toMatchObject({ queued: 0, sent: 1 });
      server.close();
    });
  });
}

test("ten thousand reports captured without a network stay within the bounds of the queue", async () => {
  const server = await startFaultServer([{ moves: [{ do: "reset" }], unread: true }]);
  const { exited, said } = scripts.start("Node 24", { url: server.url, key: newCredential("isk_"), act: "many" });
  expect(await exited).toBe(0);
  expect(said).toEqual([{ queued: 20, dropped: 9_980, grownBytes: expect.any(Number) }]);
  // The queue holds 2 MB; the dropped reports have 800 MB in all.
  expect(Object(said[0]).grownBytes).toBeLessThan(20_000_000);
  server.close();
});
