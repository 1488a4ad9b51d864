import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { existsSync, rmSync, statSync } from "node:fs";
import { StoreUnavailable } from "../../server/core/store.ts";
import { databasePath } from "../../server/store/migrate.ts";
import { SqliteStore } from "../../server/store/sqlite.ts";
import { prepareDatabase } from "../support/installation.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";
import { storeContract } from "./contract.ts";

function open(checkpoints = true) {
  const folder = temporaryFolder();
  prepareDatabase(folder);
  const fatal: unknown[] = [];
  const store = new SqliteStore(databasePath(folder), {
    busyMs: 0,
    checkpoints,
    onFatal: (error) => fatal.push(error),
  });
  const remove = async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  };
  const sql = async (text: string) => {
    const other = new Database(databasePath(folder));
    other.run("pragma busy_timeout = 5000");
    other.run(text);
    other.close();
  };
  return { folder, store, fatal, sql, remove };
}

describe("sqlite store", () => {
  storeContract(async () => open());
});

test("no read sees a write before its promise resolves", async () => {
  const { store, remove } = open();
  const count = async () => (await store.all("select name from setting")).length;
  const writing = insert(store, "a");
  expect(await count()).toBe(0);
  await writing;
  expect(await count()).toBe(1);
  await remove();
});

test("a shared read of an index of words is as new as the index", async () => {
  const { store, remove } = open();
  const found = () =>
    store.write((tx) =>
      tx.shared("found", function* (read) {
        return (yield* read.all("select rowid from card_search where card_search match 'word'")).length;
      }),
    );
  expect(await found()).toBe(0);
  await store.write((tx) => tx.run("insert into card_search (rowid, title, short) values (1, 'a word', 'x')"));
  expect(await found()).toBe(1);
  await remove();
});

test("a kept value is read again when its table was changed, not when another one was", async () => {
  const { store, remove } = open();
  let runs = 0;
  const settings = () =>
    store.write((tx) =>
      tx.shared("settings", function* (read) {
        runs++;
        return (yield* read.all("select name from setting")).length;
      }),
    );
  const addProject = (id: string) =>
    store.write((tx) => tx.run("insert into project (id, name, position, created_at) values ($1, 'P', 1, 0)", [id]));
  expect(await settings()).toBe(0);
  await addProject("a");
  expect(await store.sharedOne("select id from project where id = $1", ["a"])).toEqual({ id: "a" });
  await addProject("b");
  expect([await settings(), runs]).toEqual([0, 1]);
  await insert(store, "x");
  expect([await settings(), runs]).toEqual([1, 2]);
  await remove();
});

test("a value is dropped with either of its tables, however many were dropped with one of them", async () => {
  const { store, remove } = open();
  const keyed = (i: number) =>
    store.write((tx) =>
      tx.shared(`keyed ${i}`, function* (read) {
        const names = yield* read.all("select name from setting");
        return names.length + (yield* read.all("select id from project")).length;
      }),
    );
  for (let i = 0; i < 4_500; i++) {
    await keyed(i);
    if (i % 50 === 0) await store.write((tx) => tx.run("update setting set value = 'x'"));
  }
  await store.write((tx) => tx.run("insert into project (id, name, position, created_at) values ('a', 'P', 1, 0)"));
  expect(await keyed(4_499)).toBe(1);
  await remove();
});

const insert = (store: SqliteStore, name: string, value = "v") =>
  store.write(function* (tx) {
    yield* tx.run("insert into setting (name, value) values ($1, $2)", [name, value]);
  });

test("another process's lock is waited for without stopping this one, then refused", async () => {
  const { folder, store, remove } = open();
  const other = new Database(databasePath(folder));
  other.run("begin immediate");
  let turns = 0;
  const counting = setInterval(() => turns++, 5);
  await expect(insert(store, "a")).rejects.toThrow("locked by another process");
  clearInterval(counting);
  // Had the wait blocked it, the loop had turned once or twice.
  expect(turns).toBeGreaterThan(20);
  expect(store.trouble()).toContain("locked");

  const waiting = insert(store, "b");
  setTimeout(() => other.run("rollback"), 100);
  await waiting;
  expect(store.trouble()).toBeUndefined();

  other.run("begin immediate");
  await expect(insert(store, "c")).rejects.toThrow("locked by another process");
  other.run("rollback");
  // The end of the lock is noticed although nobody writes.
  await until(() => (store.trouble() === undefined ? true : undefined));
  other.close();
  await remove();
}, 180_000);

test("a derived write waits for another process's lock, and is refused when the lock lasts", async () => {
  const { folder, store, remove } = open();
  const derive = (name: string) =>
    store.writeDerived((tx) => tx.run("insert into setting (name, value) values ($1, 'v')", [name]), { within: 10 });
  const other = new Database(databasePath(folder));
  other.run("begin immediate");
  await expect(derive("a")).rejects.toThrow("locked by another process");
  const waiting = derive("b");
  setTimeout(() => other.run("rollback"), 100);
  await waiting;
  expect(await store.all("select name from setting")).toEqual([{ name: "b" }]);
  other.close();
  await remove();
}, 180_000);

test("a full database rejects the whole group and what waits; nothing of it stays, and later writes are stored", async () => {
  const { folder, store, remove } = open();
  await insert(store, "before");
  // SQLite's own limit on pages gives the same error at the same place as a full disk.
  await store.write(function* (tx) {
    const [row] = yield* tx.all<{ page_count: number }>("pragma page_count");
    yield* tx.all(`pragma max_page_count = ${(row?.page_count ?? 0) + 2}`);
  });
  const group = [insert(store, "small"), insert(store, "large", "x".repeat(100_000)), insert(store, "after")];
  const outcomes = await Promise.allSettled(group);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  for (const refused of group) await expect(refused).rejects.toThrow(StoreUnavailable);

  await insert(store, "healed");
  expect(store.trouble()).toBeUndefined();
  const rows = await store.all<{ name: string }>("select name from setting order by name");
  expect(rows.map(({ name }) => name)).toEqual(["before", "healed"]);
  expect(existsSync(databasePath(folder))).toBe(true);
  await remove();
});

test("the log stays bounded while writes never stop", async () => {
  const { folder, store, fatal, remove } = open();
  let largest = 0;
  for (let i = 0; i < 600; i++) {
    await Promise.all(
      Array.from({ length: 16 }, (_, k) => insert(store, `n${(i * 16 + k) % 977}-${i}`, "x".repeat(12_000))),
    );
    largest = Math.max(largest, statSync(`${databasePath(folder)}-wal`).size);
  }
  expect(fatal).toEqual([]);
  expect(largest).toBeLessThanOrEqual(64 * 1024 * 1024);
  await remove();
}, 180_000);

test("a reader in another process that never ends holds up no write", async () => {
  const { folder, store, remove } = open();
  const other = new Database(databasePath(folder), { readonly: true });
  other.run("begin");
  other.query("select count(*) from setting").all();
  for (let i = 0; i < 400; i++) {
    await Promise.all(Array.from({ length: 16 }, (_, k) => insert(store, `n${k}-${i}`, "x".repeat(12_000))));
  }
  expect(statSync(`${databasePath(folder)}-wal`).size).toBeGreaterThan(60_000_000);
  other.run("rollback");
  other.close();
  // Once the read has ended, the log starts over.
  await until(async () => {
    await insert(store, `after-${crypto.randomUUID()}`);
    return store.logBytes() < 1_000_000 ? true : undefined;
  });
  await remove();
});

test("closing copies the log into the database and removes it", async () => {
  const { folder, store } = open();
  await insert(store, "a");
  await store.close();
  await until(() => (existsSync(`${databasePath(folder)}-wal`) ? undefined : true));
  rmSync(folder, { recursive: true, force: true });
});
