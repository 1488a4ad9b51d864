import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileStore } from "@intake/client/node";
import type { QueueStore } from "@intake/client/queue";
import fc from "fast-check";
import { recordName } from "../../../client/src/reports/queue-store.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder that does not exist yet. */
function newFolder(): string {
  const parent = temporaryFolder();
  folders.push(parent);
  return join(parent, "app", "reports");
}

const nameOf = (index: number, size = 3) =>
  recordName({ at: 1_700_000_000_000 + index, size, reportId: crypto.randomUUID() }, index);
const bytes = Uint8Array.of(1, 2, 3);

describe("records", () => {
  test("are what was written, whatever the order of calls", async () => {
    const command = fc.record({
      do: fc.constantFrom("write", "remove", "read"),
      index: fc.nat({ max: 4 }),
      bytes: fc.uint8Array({ maxLength: 100 }),
    });
    const names = Array.from({ length: 5 }, (_, index) => nameOf(index));
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 20 }), async (commands) => {
        const folder = newFolder();
        const expected = new Map<string, Uint8Array>();
        let store = fileStore(folder);
        for (const one of commands) {
          const name = names[one.index] ?? "";
          if (one.do === "write") {
            await store.write(name, one.bytes);
            expected.set(name, one.bytes);
          } else if (one.do === "remove") {
            await store.remove(name);
            expected.delete(name);
          } else {
            // A second client, as after a restart.
            store = fileStore(folder);
            expect(await store.read(name)).toEqual(expected.get(name));
          }
          expect([...(await store.names())].sort()).toEqual([...expected.keys()].sort());
        }
        expect(existsSync(folder) ? readdirSync(folder).sort() : []).toEqual([...expected.keys()].sort());
      }),
      { numRuns: 40 },
    );
  });

  test("are told in the order of capture", async () => {
    const store = fileStore(newFolder());
    const names = Array.from({ length: 12 }, (_, index) =>
      nameOf(0).replace("-000000-", `-${String(index).padStart(6, "0")}-`),
    );
    for (const name of names.toReversed()) await store.write(name, bytes);
    expect((await store.names()).toSorted()).toEqual(names);
  });

  test("are their owner's alone, folder and all", async () => {
    const folder = newFolder();
    const mask = process.umask(0);
    try {
      const store = fileStore(folder);
      await store.write(nameOf(0), bytes);
      await store.exclusive?.(async () => {
        expect(statSync(join(folder, "lock")).mode & 0o777).toBe(0o600);
      });
    } finally {
      process.umask(mask);
    }
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  test("are there whole or not at all, for whoever reads while they are written", async () => {
    const folder = newFolder();
    const [writer, reader] = [fileStore(folder), fileStore(folder)];
    const large = new Uint8Array(3_000_000).fill(7);
    const name = nameOf(0, large.length);
    let writing = true;
    const written = writer.write(name, large).finally(() => {
      writing = false;
    });
    while (writing) {
      for (const seen of await reader.names()) expect((await reader.read(seen))?.length).toBe(large.length);
    }
    await written;
  });
});

describe("what is no record", () => {
  test("is left alone: files of others, folders, links", async () => {
    const folder = newFolder();
    const store = fileStore(folder);
    await store.write(nameOf(0), bytes);
    writeFileSync(join(folder, "notes.txt"), "mine");
    writeFileSync(join(folder, ".DS_Store"), "mine");
    mkdirSync(join(folder, "reports"));
    expect(await store.names()).toHaveLength(1);
    await store.exclusive?.(async () => {});
    expect(readdirSync(folder).sort()).toEqual(expect.arrayContaining([".DS_Store", "notes.txt", "reports"]));
    expect(readFileSync(join(folder, "notes.txt"), "utf8")).toBe("mine");
  });

  test("has no bytes: a folder of a record's name, a record that is gone", async () => {
    const folder = newFolder();
    const store = fileStore(folder);
    expect(await store.names()).toEqual([]);
    expect(await store.read(nameOf(0))).toBeUndefined();
    await store.remove(nameOf(0));
    const name = nameOf(1);
    mkdirSync(join(folder, name), { recursive: true });
    const answer = await store.read(name).catch((error: unknown) => error);
    expect(answer === undefined || answer instanceof Error).toBe(true);
  });
});

describe("a write that fails", () => {
  test("leaves nothing behind", async () => {
    const folder = newFolder();
    const store = fileStore(folder);
    const name = nameOf(0);
    // A folder that is not empty stands in the place of the record, so the record cannot be written.
    mkdirSync(join(folder, name, "x"), { recursive: true });
    expect(await failure(store.write(name, bytes))).toBeInstanceOf(Error);
    expect(readdirSync(folder)).toEqual([name]);
  });

  test("is told, where the folder cannot be made", async () => {
    const folder = newFolder();
    mkdirSync(join(folder, ".."), { recursive: true });
    writeFileSync(folder, "a file");
    const store = fileStore(folder);
    expect(await failure(store.write(nameOf(0), bytes))).toBeInstanceOf(Error);
    expect(await failure(store.exclusive?.(async () => {}))).toBeInstanceOf(Error);
  });
});

describe("the lock", () => {
  async function held(store: QueueStore): Promise<() => Promise<void>> {
    const taken = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const done = store.exclusive?.(async () => {
      taken.resolve();
      await release.promise;
    });
    await taken.promise;
    return async () => {
      release.resolve();
      await done;
    };
  }

  const attempt = async (store: QueueStore) => {
    let did = false;
    const mine = await store.exclusive?.(async () => {
      did = true;
    });
    expect(mine).toBe(did);
    return did;
  };

  test("is one's for as long as the work takes, and free after it, also when the work fails", async () => {
    const folder = newFolder();
    const [one, other] = [fileStore(folder), fileStore(folder)];
    const release = await held(one);
    expect(await attempt(other)).toBe(false);
    expect(await attempt(one)).toBe(false);
    await release();
    expect(await attempt(other)).toBe(true);
    const failed = await failure(
      one.exclusive?.(async () => {
        throw new Error("work");
      }),
    );
    expect(failed).toEqual(new Error("work"));
    expect(await attempt(other)).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("of a process that is gone is taken at once", async () => {
    const folder = newFolder();
    mkdirSync(folder, { recursive: true });
    const gone = Bun.spawnSync(["true"]).pid;
    writeFileSync(join(folder, "lock"), String(gone));
    expect(await attempt(fileStore(folder))).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("that nobody has touched for a minute is taken, whatever stands in it", async () => {
    for (const owner of [String(process.pid), "", "not a number", "1"]) {
      const folder = newFolder();
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "lock"), owner);
      expect(await attempt(fileStore(folder))).toBe(false);
      const old = Date.now() / 1_000 - 61;
      utimesSync(join(folder, "lock"), old, old);
      expect(await attempt(fileStore(folder))).toBe(true);
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  test("that is stale is taken by somebody, however many ask at once, and leaves nothing", async () => {
    const gone = String(Bun.spawnSync(["true"]).pid);
    for (let round = 0; round < 20; round++) {
      const folder = newFolder();
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "lock"), gone);
      const answers = await Promise.all(Array.from({ length: 8 }, () => attempt(fileStore(folder))));
      expect(answers).toContain(true);
      expect(await attempt(fileStore(folder))).toBe(true);
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  test("is one's alone, however many ask at once", async () => {
    const folder = newFolder();
    let at = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++at);
      await new Promise((resolve) => setImmediate(resolve));
      at--;
    };
    for (let round = 0; round < 20; round++) {
      const answers = await Promise.all(Array.from({ length: 8 }, () => fileStore(folder).exclusive?.(work)));
      expect(answers).toContain(true);
    }
    expect(most).toBe(1);
  });
});

async function failure(promise: Promise<unknown> | undefined): Promise<unknown> {
  return promise?.then(
    () => undefined,
    (error: unknown) => error,
  );
}
