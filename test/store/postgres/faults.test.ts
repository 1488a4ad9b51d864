import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { type Step, StoreUnavailable, type Tx, type Write } from "../../../server/core/store.ts";
import { readDatabaseUrl } from "../../../server/store/postgres/connection.ts";
import { Lane } from "../../../server/store/postgres/lane.ts";
import { migrateDatabase } from "../../../server/store/postgres/migrate.ts";
import { postgresMigrations } from "../../../server/store/postgres/migrations/index.ts";
import { PostgresStore } from "../../../server/store/postgres/postgres-store.ts";
import { ScratchPostgres } from "../../support/postgres.ts";
import { connected } from "../../support/postgres-schema.ts";
import { until } from "../../support/until.ts";

let server: ScratchPostgres;
let url: string;
let database: string;

beforeAll(async () => {
  server = await ScratchPostgres.start();
  ({ url, name: database } = await server.createDatabase());
  await connected(url, (db) => migrateDatabase(db, postgresMigrations, { now: Date.now }));
}, 180_000);
afterAll(() => server.remove());

const openStore = (connections = 8) => PostgresStore.open({ connection: readDatabaseUrl(url), connections });
const openLane = () => Lane.open(readDatabaseUrl(url));
const insert = (tx: Tx, name: string): Step<void> =>
  tx.run("insert into setting (name, value) values ($1, 'v')", [name]);

async function stored(): Promise<string[]> {
  // It may still be recovering from a crash.
  await until(() =>
    server.administer("select 1").then(
      () => true,
      () => undefined,
    ),
  );
  const sql = new SQL(url, { max: 1 });
  const rows: { name: string }[] = await sql.unsafe("select name from setting order by name");
  await sql.unsafe("delete from setting");
  await sql.close();
  return rows.map(({ name }) => name);
}

const terminate = () =>
  server.administer("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'intake'");

describe("a lane", () => {
  test("that is lost within a transaction does nothing more, and nothing of it is stored", async () => {
    const lane = await openLane();
    await lane.query("begin");
    await lane.query("insert into setting (name, value) values ('first half', 'v')");
    await terminate();
    await expect(lane.query("insert into setting (name, value) values ('second half', 'v')")).rejects.toThrow();
    await expect(lane.commit()).rejects.toThrow();
    expect(lane.lost).toBeDefined();
    expect(await stored()).toEqual([]);
  });

  test("does not take the end of a failed transaction for a commit", async () => {
    const lane = await openLane();
    await lane.query("begin");
    await expect(lane.query("insert into setting (name, value) values ('a', null)")).rejects.toThrow();
    await expect(lane.commit()).rejects.toThrow("ROLLBACK");
    lane.close();
  });

  test("runs statements in the order in which they were given, without waiting", async () => {
    const lane = await openLane();
    void lane.query("begin");
    for (let i = 0; i < 50; i++) void lane.query("insert into setting (name, value) values ($1, 'v')", [`n${i}`]);
    const counted = lane.query("select count(*) as n from setting");
    await lane.commit();
    expect((await counted).rows).toEqual([{ n: 50 }]);
    lane.close();
    expect(await stored()).toHaveLength(50);
  });

  test("is given up when the server does not answer in time", async () => {
    const lane = await openLane();
    server.pause();
    try {
      const asked = lane.query("select 1 as one", [], 100);
      asked.catch(() => {});
      await Bun.sleep(150);
      lane.look(performance.now());
      await expect(asked).rejects.toThrow("did not answer in time");
      expect(lane.lost).toBeDefined();
    } finally {
      server.resume();
    }
  });
});

test("a server that accepts connections and never says a word is given up", async () => {
  const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const connection = readDatabaseUrl(`postgres://intake:secret@127.0.0.1:${silent.port}/intake`);
  // Longer than a test may take: the driver's own time limit is not what ends the wait.
  const patient = { ...connection, connectionTimeout: 600 };
  const opening = Lane.open(patient, { statement: 1_000, commit: 1_000, open: 200 });
  await expect(opening).rejects.toThrow("accepted no connection in time");
  silent.stop(true);
});

describe("a database that acknowledges what is not on the disk", () => {
  test.each(["off", "local"])("with synchronous_commit %s is refused", async (value) => {
    await server.administer(`alter role intake set synchronous_commit = ${value}`);
    try {
      await expect(openStore()).rejects.toThrow("synchronous_commit");
    } finally {
      await server.administer("alter role intake reset synchronous_commit");
    }
  });
});

/** Writes of all kinds from two processes' stores, until told to stop. Every acknowledged name has to be stored once. */
function load(stores: readonly PostgresStore[]) {
  const acknowledged: string[] = [];
  let unavailable = 0;
  let others: unknown;
  let stopped = false;
  let next = 0;
  const one = async (store: PostgresStore, isolation: "alone" | "group") => {
    while (!stopped) {
      const name = `n${String(next++).padStart(6, "0")}`;
      const write = function* (tx: Tx): Step<string> {
        yield* insert(tx, name);
        return name;
      };
      const proof = function* (tx: Tx): Step<string | undefined> {
        return (yield* tx.one<{ name: string }>("select name from setting where name = $1", [name]))?.name;
      };
      try {
        acknowledged.push(await store.write(write, { isolation, stored: proof }));
      } catch (error) {
        if (error instanceof StoreUnavailable) unavailable++;
        else others ??= error;
        await Bun.sleep(5);
      }
    }
  };
  const running = stores.flatMap((store) => [
    ...Array.from({ length: 16 }, () => one(store, "group")),
    one(store, "alone"),
  ]);
  /** Resolves once so many more have been acknowledged, however long that takes. */
  const more = (count: number) => {
    const enough = acknowledged.length + count;
    return until(() => acknowledged.length >= enough || undefined, 90);
  };
  const stop = async () => {
    stopped = true;
    await Promise.all(running);
    await Promise.all(stores.map((store) => store.close()));
    if (others !== undefined) throw others;
    return { acknowledged: acknowledged.sort(), unavailable };
  };
  return { more, stop };
}

async function expectAllStored(acknowledged: readonly string[]) {
  const rows = new Set(await stored());
  expect(acknowledged.filter((name) => !rows.has(name))).toEqual([]);
  expect(new Set(acknowledged).size).toBe(acknowledged.length);
}

test("while connections are ended all the time, what was acknowledged is stored, and nothing else fails", async () => {
  const { more, stop } = load([await openStore(), await openStore()]);
  const enough = more(51);
  let isEnough = false;
  void enough.finally(() => {
    isEnough = true;
  });
  for (let i = 0; i < 100 || !isEnough; i++) {
    await terminate();
    await Bun.sleep(15);
  }
  await enough;
  const { acknowledged } = await stop();
  await expectAllStored(acknowledged);
}, 180_000);

test("after crashes of the server it goes on by itself, and what was acknowledged is stored", async () => {
  const stores = [await openStore(), await openStore()] as const;
  const { more, stop } = load(stores);
  for (let i = 0; i < 3; i++) {
    await more(20);
    await server.crash();
    await until(() => stores[0].trouble());
    await server.restart();
    await until(() => (stores.every((store) => store.trouble() === undefined) ? true : undefined));
  }
  const { acknowledged } = await stop();
  await expectAllStored(acknowledged);
}, 180_000);

test("a killed backend, which ends every connection, loses nothing that was acknowledged", async () => {
  const { more, stop } = load([await openStore()]);
  for (let i = 0; i < 3; i++) {
    await more(20);
    const [row] = await server
      .administer<{ pid: number }>("select pid from pg_stat_activity where application_name = 'intake' limit 1")
      .catch(() => []);
    if (row) server.crashBackend(row.pid);
  }
  await more(20);
  const { acknowledged } = await stop();
  await expectAllStored(acknowledged);
}, 180_000);

test("a write that runs alone is never lost to another process that writes the same row", async () => {
  const stores = [await openStore(), await openStore(), await openStore()];
  await stores[0]?.write((tx) => tx.run("insert into setting (name, value) values ('count', '0')"));
  const add = (store: PostgresStore) =>
    store.write(function* (tx) {
      const row = yield* tx.one<{ value: string }>("select value from setting where name = 'count'");
      yield* tx.run("update setting set value = $1 where name = 'count'", [String(Number(row?.value) + 1)]);
    });
  await Promise.all(stores.flatMap((store) => Array.from({ length: 20 }, () => add(store))));
  expect(await stores[0]?.one("select value from setting where name = 'count'")).toEqual({ value: "60" });
  await Promise.all(stores.map((store) => store.close()));
  await stored();
});

test("a lock is held by one write at a time, whatever its process", async () => {
  const stores = [await openStore(), await openStore()];
  await stores[0]?.write((tx) => tx.run("insert into setting (name, value) values ('count', '0')"));
  const add = (store: PostgresStore) =>
    store.write(
      function* (tx) {
        yield* tx.lock("count");
        const row = yield* tx.one<{ value: string }>("select value from setting where name = 'count'");
        yield* tx.run("update setting set value = $1 where name = 'count'", [String(Number(row?.value) + 1)]);
      },
      { isolation: "group" },
    );
  await Promise.all(stores.flatMap((store) => Array.from({ length: 100 }, () => add(store))));
  expect(await stores[0]?.one("select value from setting where name = 'count'")).toEqual({ value: "200" });
  await Promise.all(stores.map((store) => store.close()));
  await stored();
});

test("a frozen server makes no write wait for ever, and is used again once it goes on", async () => {
  const store = await PostgresStore.open({
    connection: readDatabaseUrl(url),
    connections: 4,
    patience: { statement: 2_000, commit: 3_000 },
  });
  await store.write((tx) => insert(tx, "before"));
  server.pause();
  try {
    await expect(store.write((tx) => insert(tx, "meanwhile"))).rejects.toBeInstanceOf(StoreUnavailable);
    expect(store.trouble()).toBe("the database cannot be reached");
  } finally {
    server.resume();
  }
  await until(() => (store.trouble() === undefined ? true : undefined));
  await store.write((tx) => insert(tx, "after"));
  await store.close();
  expect(await stored()).toEqual(expect.arrayContaining(["before", "after"]));
}, 180_000);

test("a database that is read-only, as after a fail-over, is trouble until it takes writes", async () => {
  const store = await openStore(4);
  const setReadOnly = (value: string) => server.set({ default_transaction_read_only: value });
  await setReadOnly("on");
  await expect(store.write((tx) => insert(tx, "no"))).rejects.toThrow("the database is read-only");
  expect(store.trouble()).toBe("the database is read-only");
  expect(await store.all("select name from setting")).toEqual([]);
  await setReadOnly("off");
  await until(() => (store.trouble() === undefined ? true : undefined));
  await store.write((tx) => insert(tx, "yes"));
  await store.close();
  expect(await stored()).toEqual(["yes"]);
}, 180_000);

test("a commit that waits for a standby is not acknowledged before, and not by the time limit of statements", async () => {
  const { connection, ...rest } = readDatabaseUrl(url);
  const store = await PostgresStore.open({
    connection: { ...rest, connection: { ...connection, statement_timeout: "300ms" } },
    connections: 4,
    patience: { statement: 1_000, commit: 1_500 },
  });
  await server.set({ synchronous_standby_names: "nobody" });
  try {
    for (const isolation of ["alone", "group"] as const) {
      await expect(store.write((tx) => insert(tx, isolation), { isolation })).rejects.toBeInstanceOf(StoreUnavailable);
    }
  } finally {
    await server.set({ synchronous_standby_names: "" });
  }
  await until(() => (store.trouble() === undefined ? true : undefined));
  await store.write((tx) => insert(tx, "after"));
  await store.close();
  expect(await stored()).toContain("after");
}, 180_000);

describe("what is committed here and not yet on the standby that commits wait for", () => {
  const openImpatient = () =>
    PostgresStore.open({
      connection: readDatabaseUrl(url),
      connections: 4,
      patience: { statement: 1_000, commit: 1_000 },
    });
  const binding = new Uint8Array(16).fill(7);
  const key = { tokenId: "token", key: "key", ticketId: "ticket", bodyDigest: "digest", answer: "answer", fields: "" };
  const found = { ticketId: "ticket", answer: "answer", bodyDigest: "digest", fields: "" };
  const bind = (tx: Tx): Step<void> => tx.bindKey({ binding, ...key });
  const proof = function* (tx: Tx): Step<true | undefined> {
    return (yield* tx.findKey(binding)) ? true : undefined;
  };
  let store: PostgresStore;

  beforeEach(async () => {
    store = await openImpatient();
    await store.write((tx) =>
      tx.run(
        `insert into api_token (id, name, hash, scopes, reaches_all, requests_per_window, created_at)
         values ('token', 'CI', 'hash', '', 1, 60, 0) on conflict do nothing`,
      ),
    );
    await server.set({ synchronous_standby_names: "nobody" });
  });
  afterEach(async () => {
    await server.set({ synchronous_standby_names: "" });
    await until(() => (store.trouble() === undefined ? true : undefined));
    await store.write((tx) => tx.run("delete from idempotency"));
    await store.close();
  });

  /** Ends the connections that wait for the standby. What they have committed is visible from then on. */
  async function endWaiting() {
    const waiting = "from pg_stat_activity where wait_event = 'SyncRep' and application_name = 'intake'";
    await until(async () => ((await server.administer(`select 1 ${waiting}`)).length > 0 ? true : undefined));
    await server.administer(`select pg_terminate_backend(pid) ${waiting}`);
    await until(async () =>
      (await server.administer("select 1 from idempotency", database)).length > 0 ? true : undefined,
    );
  }

  test("is not acknowledged by the write that lost its connection", async () => {
    const writing = store.write(bind, { isolation: "group", stored: proof as Write<void> });
    writing.catch(() => {});
    await endWaiting();
    await expect(writing).rejects.toBeInstanceOf(StoreUnavailable);
  }, 180_000);

  test("is not replayed by another process, until the standby has it", async () => {
    const other = await openImpatient();
    const writing = store.write(bind, { isolation: "group" });
    writing.catch(() => {});
    await endWaiting();
    await expect(other.findKey(binding)).rejects.toBeInstanceOf(StoreUnavailable);
    await server.set({ synchronous_standby_names: "" });
    await until(() =>
      other.findKey(binding).then(
        (answer) => answer,
        () => undefined,
      ),
    );
    expect(await other.findKey(binding)).toEqual(found);
    await other.close();
  }, 180_000);
});
