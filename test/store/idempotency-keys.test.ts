import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { cpSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { HeldStatements } from "../../server/store/held-statements.ts";
import { IdempotencyKeys } from "../../server/store/idempotency-keys.ts";
import { IndexKeys } from "../../server/store/index-keys.ts";
import { databasePath, migrate } from "../../server/store/migrate.ts";
import { migrations } from "../../server/store/migrations/index.ts";
import { SqliteStore } from "../../server/store/sqlite.ts";
import { bindingOf, bindKeyStep, replayStep } from "../../server/tickets/replay.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";

/** Keys of one token, bound and looked up as tickets do it, while they move to the index. */
let folder: string;
let store: SqliteStore;
const opened: SqliteStore[] = [];
const folders: string[] = [];
const tokenId = "token";

beforeEach(async () => {
  folder = temporaryFolder();
  folders.push(folder);
  migrate(folder, migrations);
  store = open(folder);
  await store.write((tx) =>
    tx.run(
      `insert into api_token (id, name, hash, scopes, reaches_all, requests_per_window, created_at)
       values ($1, 'T', 'h', 'tickets:write', 1, 60, 0)`,
      [tokenId],
    ),
  );
});

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
  for (const one of folders.splice(0)) rmSync(one, { recursive: true, force: true });
});

function open(where: string): SqliteStore {
  const one = new SqliteStore(databasePath(where), {
    busyMs: 0,
    checkpoints: true,
    onFatal: (error) => {
      throw error;
    },
  });
  opened.push(one);
  return one;
}

/** Binds a key as a ticket does; false when it was bound before. */
const bind = (key: string, into = store) =>
  into.write(function* (tx) {
    const binding = bindingOf(tokenId, key);
    if (yield* replayStep(tx, binding)) return false;
    const made = { ticketId: `ticket ${key}`, answer: `answer ${key}` };
    yield* bindKeyStep(tx, binding, tokenId, { value: key, bodyDigest: "d", fields: "f" }, made);
    return true;
  });
const bindAll = (keys: readonly string[], into = store) => Promise.all(keys.map((key) => bind(key, into)));
const keysTo = (count: number) => Array.from({ length: count }, (_, i) => `key ${i}`);
const answerOf = (key: string, of = store) =>
  of.write(function* (tx) {
    return (yield* replayStep(tx, bindingOf(tokenId, key)))?.answer;
  });

async function expectAnswers(keys: readonly string[], of = store) {
  const expected = keys.map((key) => `answer ${key}`);
  expect(await Promise.all(keys.map((key) => answerOf(key, of)))).toEqual(expected);
  const outside = await Promise.all(keys.map((key) => of.findKey(bindingOf(tokenId, key))));
  expect(outside.map((found) => found?.answer)).toEqual(expected);
}

const counts = async (of = store) =>
  (await of.one<{ keys: number; indexed: number; until: number }>(
    `select (select count(*) from idempotency_key) as keys, (select count(*) from idempotency_key_index) as indexed,
       (select number from idempotency_key_indexed) as until`,
  )) ?? { keys: 0, indexed: 0, until: 0 };

/** A copy of the files as they are now: what a process that is killed leaves. */
function killed(): SqliteStore {
  const copy = temporaryFolder();
  folders.push(copy);
  cpSync(dirname(databasePath(folder)), copy, { recursive: true });
  return open(copy);
}

test("a key is found from the moment it is bound, before and after it is indexed", async () => {
  const keys = keysTo(2_000);
  expect(await bindAll(keys)).not.toContain(false);
  expect(await counts()).toEqual({ keys: 2_000, indexed: 0, until: 0 });
  await expectAnswers(keys);
  await new IndexKeys(store, store.idempotencyKeys).finish();
  expect(await counts()).toEqual({ keys: 2_000, indexed: 2_000, until: 2_000 });
  await expectAnswers(keys);
  expect(await bindAll(keys)).not.toContain(true);
});

test("keys are bound and repeated once each while others move to the index", async () => {
  const keys = keysTo(6_000);
  await bindAll(keys.slice(0, 3_000));
  const moving = new IndexKeys(store, store.idempotencyKeys).finish();
  let moved = false;
  void moving.then(() => {
    moved = true;
  });
  let [made, next] = [3_000, 3_000];
  while (!moved || next < keys.length) {
    const some = [...keys.slice(next, next + 20), keys[Math.floor(Math.random() * next)] as string];
    const fresh = await bindAll(some);
    made += fresh.filter(Boolean).length;
    expect(fresh.at(-1)).toBe(false);
    next = Math.min(next + 20, keys.length);
    await Bun.sleep(5);
  }
  await moving;
  expect(made).toBe(6_000);
  await expectAnswers(keys);
  await new IndexKeys(store, store.idempotencyKeys).finish();
  expect(await counts()).toEqual({ keys: 6_000, indexed: 6_000, until: 6_000 });
}, 180_000);

describe("after a process was killed", () => {
  test("keys that were not indexed are found", async () => {
    await bindAll(keysTo(500));
    await expectAnswers(keysTo(500), killed());
  });

  test("in the middle of moving keys, every key is found once, and moving goes on", async () => {
    const keys = keysTo(5_000);
    await bindAll(keys);
    const moving = new IndexKeys(store, store.idempotencyKeys).finish();
    await until(async () => (await counts()).indexed > 0 || undefined);
    const next = killed();
    const left = await counts(next);
    expect(left.indexed).toBeGreaterThan(0);
    expect(left.indexed).toBeLessThan(5_000);
    await expectAnswers(keys, next);
    expect(await bindAll(keys, next)).not.toContain(true);
    await new IndexKeys(next, next.idempotencyKeys).finish();
    expect(await counts(next)).toEqual({ keys: 5_000, indexed: 5_000, until: 5_000 });
    await expectAnswers(keys, next);
    await moving;
  });
});

test("a key that was bound by a write that is undone is free again", async () => {
  const undone = store.write(function* (tx) {
    const key = { value: "a", bodyDigest: "d", fields: "f" };
    yield* bindKeyStep(tx, bindingOf(tokenId, "a"), tokenId, key, { ticketId: "t", answer: "undone" });
    throw new Error("no");
  });
  const outcomes = await Promise.allSettled([bind("b"), undone, bind("c")]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(await answerOf("a")).toBeUndefined();
  expect(await bind("a")).toBe(true);
  await expectAnswers(["a", "b", "c"]);
});

test("processes that bind the same keys at the same time bind each once", async () => {
  const others = [store, open(folder), open(folder)];
  const keys = keysTo(300);
  const bound = await Promise.all(
    others.map(async (one) => {
      const made: boolean[] = [];
      for (let from = 0; from < keys.length; from += 30) {
        made.push(...(await bindAll(keys.slice(from, from + 30), one)));
        // Another process's lock may be waited for; one of them moves keys meanwhile.
        if (one === store) await new IndexKeys(store, store.idempotencyKeys).finish();
      }
      return made.filter(Boolean).length;
    }),
  );
  expect(bound.reduce((sum, count) => sum + count, 0)).toBe(300);
  for (const one of others) await expectAnswers(keys, one);
  expect((await counts()).keys).toBe(300);
});

test("a key that another process binds while this one closes is not bound again", async () => {
  const other = open(folder);
  // More writes than one transaction takes, so that the other process comes between two of them.
  const keys = keysTo(2_000);
  const waiting = keys.map((key) => bind(key));
  const contested = bind("contested");
  const byOther = waiting[0]?.then(() => bind("contested", other));
  const closing = store.close();
  expect(await byOther).toBe(true);
  expect(await contested).toBe(false);
  expect(await Promise.all(waiting)).not.toContain(false);
  await closing;
});

test("keys of another process that could not be read at first are read by the next transaction", async () => {
  await bindAll(["a", "b"]);
  const db = new Database(databasePath(folder));
  const statements = new HeldStatements(db);
  const known = new IdempotencyKeys(statements);
  db.run("alter table idempotency_key rename to away");
  expect(() => known.begun(true)).toThrow("no such table");
  db.run("alter table away rename to idempotency_key");
  known.begun(false);
  expect(known.find(bindingOf(tokenId, "b"))).toMatchObject([{ answer: "answer b" }]);
  statements.finalize();
  db.close();
});

test("keys whose hashes are the same are told apart, before and after they are indexed", async () => {
  const bindings = Array.from({ length: 3 }, (_, i) => new Uint8Array(16).fill(0xff, 0, 7).fill(i, 7));
  const bindThis = (binding: Uint8Array, value: string) =>
    store.write((tx) =>
      bindKeyStep(tx, binding, tokenId, { value, bodyDigest: "d", fields: "f" }, { ticketId: value, answer: value }),
    );
  const answers = () => Promise.all(bindings.map((binding) => store.findKey(binding).then((found) => found?.answer)));
  await bindThis(bindings[0] as Uint8Array, "0");
  expect(await answers()).toEqual(["0", undefined, undefined]);
  await new IndexKeys(store, store.idempotencyKeys).finish();
  expect(await answers()).toEqual(["0", undefined, undefined]);
  await bindThis(bindings[1] as Uint8Array, "1");
  expect(await answers()).toEqual(["0", "1", undefined]);
  await new IndexKeys(store, store.idempotencyKeys).finish();
  expect(await counts()).toEqual({ keys: 2, indexed: 2, until: 2 });
  expect(await answers()).toEqual(["0", "1", undefined]);
});

test("keys that an earlier version bound are found", async () => {
  const binding = bindingOf(tokenId, "old");
  await store.write((tx) =>
    tx.run(
      `insert into idempotency (binding, token_id, key, ticket_id, body_digest, answer)
       values ($1, $2, 'old', 'ticket old', 'd', 'answer old')`,
      [binding, tokenId],
    ),
  );
  const upgraded = open(folder);
  await expectAnswers(["old"], upgraded);
  expect(await bind("old", upgraded)).toBe(false);
});

test("while tickets come, keys wait; once none comes, all are indexed", async () => {
  const indexing = new IndexKeys(store, store.idempotencyKeys);
  indexing.start();
  await bindAll(keysTo(100));
  await until(async () => (await counts()).until === 100 || undefined);
  await expectAnswers(keysTo(100));
  await indexing.stop();
});
