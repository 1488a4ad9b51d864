import { afterAll, beforeAll, expect, test } from "bun:test";
import { Cluster } from "../../../server/app/cluster/cluster.ts";
import { type Step, StoreUnavailable, type Tx } from "../../../server/core/store.ts";
import { readDatabaseUrl } from "../../../server/store/postgres/connection.ts";
import type { DatabaseObserver } from "../../../server/store/postgres/observer.ts";
import { PostgresStore } from "../../../server/store/postgres/postgres-store.ts";
import { SharedLimits } from "../../../server/store/postgres/shared-limits.ts";
import { cuttingAtCommits } from "../../support/cutting-at-commits.ts";
import type { ScratchDatabase } from "../../support/postgres.ts";
import { connected, databaseWithSchema } from "../../support/postgres-schema.ts";
import { until } from "../../support/until.ts";

let database: ScratchDatabase;
beforeAll(async () => {
  database = await databaseWithSchema();
}, 180_000);
afterAll(() => database.drop());

/** Notes what it is told. */
function noting() {
  const told: string[] = [];
  const heard: number[] = [];
  const observer: DatabaseObserver = {
    reran: (reason) => told.push(`reran ${reason}`),
    readAgain: () => told.push("read again"),
    doubted: (outcome) => told.push(`doubted ${outcome}`),
    limited: (requests) => told.push(`limited ${requests}`),
    heard: (milliseconds) => heard.push(milliseconds),
  };
  return { told, heard, observer };
}

const openStore = (observer: DatabaseObserver, url = database.url) =>
  PostgresStore.open({ connection: readDatabaseUrl(url), connections: 4, observer });

test("a commit whose answer is lost is counted by what became of it", async () => {
  const { told, observer } = noting();
  const way = await cuttingAtCommits(database.url);
  const store = await openStore(observer, way.url);
  const name = "in doubt";
  const insert = (tx: Tx) =>
    tx.run("insert into setting (name, value) values ($1, 'v') on conflict (name) do nothing", [name]);
  const write = function* (tx: Tx): Step<string> {
    yield* insert(tx);
    return name;
  };
  const stored = function* (tx: Tx): Step<string | undefined> {
    return (yield* tx.one("select 1 as there from setting where name = $1", [name])) && name;
  };
  way.cut("before");
  expect(await store.write(write, { stored, isolation: "locks" })).toBe(name);
  expect(told.splice(0)).toEqual(["reran lost", "doubted not_stored"]);
  way.cut("after");
  expect(await store.write(write, { stored, isolation: "locks" })).toBe(name);
  expect(told.splice(0)).toEqual(["reran lost", "doubted stored"]);
  way.cut("after");
  await expect(store.write(write, { isolation: "locks" })).rejects.toBeInstanceOf(StoreUnavailable);
  expect(told.splice(0)).toEqual(["reran lost", "doubted unknown"]);
  way.cut("after");
  expect(await store.write(write, { stored, isolation: "group" })).toBe(name);
  expect(told.splice(0)).toEqual(["reran shared", "doubted stored"]);
  await store.close();
  way.stop();
});

test("a write that meets one of another process is counted as a conflict", async () => {
  const { told, observer } = noting();
  const store = await openStore(observer);
  const add = "update setting set value = cast(cast(value as integer) + 1 as text) where name = 'count'";
  await store.write(function* (tx) {
    yield* tx.run("insert into setting (name, value) values ('count', '0')");
  });
  await connected(database.url, async (other) => {
    await other.run("begin");
    await other.run(add);
    const writing = store.write(function* (tx: Tx): Step<void> {
      yield* tx.one("select value from setting where name = 'count'");
      yield* tx.run(add);
    });
    await until(async () => {
      const waiting = await store.one(
        "select 1 as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return waiting ? true : undefined;
    });
    await other.run("commit");
    await writing;
  });
  expect(await store.one("select value from setting where name = 'count'")).toEqual({ value: "2" });
  expect(told).toEqual(["reran conflict"]);
  await store.close();
});

test("connections are counted by what they are for", async () => {
  const store = await openStore(noting().observer);
  await store.all("select 1 as one");
  const held = Promise.withResolvers<void>();
  const counts = await store.write(function* (tx) {
    yield* tx.one("select 1 as one");
    held.resolve();
    return store.lanes();
  });
  await held.promise;
  expect(counts).toEqual({ write: { open: 1, busy: 1, waiting: 0 }, read: { open: 1, busy: 0, waiting: 0 } });
  expect(store.lanes().write).toEqual({ open: 1, busy: 0, waiting: 0 });
  await store.close();
});

test("requests that are counted together are told as one round trip", async () => {
  const { told, observer } = noting();
  const store = await openStore(observer);
  const limits = new SharedLimits((sql, params) => store.query(sql, params), { observer }).of("credential");
  await Promise.all(Array.from({ length: 5 }, (_, i) => limits.take(`${i}`, 7)));
  expect(told).toEqual(["limited 5"]);
  await store.close();
});

test("how late a process hears of what another one has stored is told", async () => {
  const { heard, observer } = noting();
  const [one, other] = [
    new Cluster(readDatabaseUrl(database.url)),
    new Cluster(readDatabaseUrl(database.url), observer),
  ];
  const listeners = { listening: () => true, heard: () => {}, lost: () => {}, forget: () => {}, gone: () => {} };
  for (const cluster of [one, other]) {
    cluster.connect(listeners);
    await cluster.start();
  }
  // What was told before somebody listened was not late.
  await until(() => {
    one.tell({ kind: "card", id: crypto.randomUUID(), in: "board" });
    return heard.length > 0 ? true : undefined;
  });
  for (const milliseconds of heard) expect(milliseconds).toBeGreaterThan(0);
  await Promise.all([one.stop(), other.stop()]);
});
