import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { type Step, StoreUnavailable, type Tx } from "../../../server/core/store.ts";
import { PostgresStore } from "../../../server/store/postgres/postgres-store.ts";
import { givesOutSessions, reachDatabase } from "../../../server/store/postgres/reach-database.ts";
import { pgbouncerTracksStatements, startPgBouncer } from "../../support/pgbouncer.ts";
import { sharedPostgres } from "../../support/postgres.ts";
import { databaseWithSchema, reusedDatabaseWithSchema } from "../../support/postgres-schema.ts";
import { storeContract } from "../contract.ts";

type PgBouncer = Awaited<ReturnType<typeof startPgBouncer>>;

let bouncer: PgBouncer;
beforeAll(async () => {
  // Fewer backends than a store has connections.
  bouncer = await startPgBouncer(await sharedPostgres(), { default_pool_size: 3 });
});
afterAll(() => bouncer.stop());

async function openStore(url: string) {
  const { options: connection } = await reachDatabase(url);
  return PostgresStore.open({ connection, connections: 8 });
}

describe("the store on PostgreSQL behind pgbouncer", () => {
  storeContract(async () => {
    const { name, url, drop } = await reusedDatabaseWithSchema();
    const store = await openStore(bouncer.url(name));
    const other = new SQL(url, { max: 1 });
    return {
      store,
      sql: async (text: string) => void (await other.unsafe(text)),
      async remove() {
        await store.close();
        await other.close();
        await drop();
      },
    };
  });
});

test("two processes behind pgbouncer store all that they acknowledge, once, and read no rows of others", async () => {
  const { name, url, drop } = await databaseWithSchema();
  const stores = await Promise.all([openStore(bouncer.url(name)), openStore(bouncer.url(name))]);
  const put = (n: number, isolation: "alone" | "group" | "locks") =>
    stores[n % 2]?.write(
      function* (tx: Tx) {
        yield* tx.run("insert into setting (name, value) values ($1, $2)", [`n${n}`, `${n}`]);
        return yield* tx.one<{ value: string }>("select value from setting where name = $1", [`n${n}`]);
      },
      { isolation },
    );
  const read = (n: number) => stores[n % 2]?.one("select cast($1 as text) as a", [`${n}`]);
  const kinds = ["alone", "group", "group", "locks"] as const;
  const numbers = Array.from({ length: 200 }, (_, n) => n);
  const [written, asked] = await Promise.all([
    Promise.all(numbers.map((n) => put(n, kinds[n % 4] ?? "alone"))),
    Promise.all(numbers.map(read)),
  ]);
  expect(written).toEqual(numbers.map((n) => ({ value: `${n}` })));
  expect(asked).toEqual(numbers.map((n) => ({ a: `${n}` })));
  const sql = new SQL(url, { max: 1 });
  expect(await sql`select cast(count(*) as integer) as n from setting`).toEqual([{ n: 200 }] as never);
  await sql.close();
  await Promise.all(stores.map((store) => store.close()));
  await drop();
}, 180_000);

describe("a connection", () => {
  const limits = (tx: Tx) =>
    tx.one(`select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
      current_setting('idle_in_transaction_session_timeout') as idle`);
  const asked = { statement: "8s", lock: "3s", idle: "15s" };

  const tracks = pgbouncerTracksStatements();
  const unprepared: Record<string, number> = tracks ? { max_prepared_statements: 0 } : {};

  async function through(settings: Readonly<Record<string, string | number>>) {
    const { name, drop } = await databaseWithSchema();
    const pgbouncer = await startPgBouncer(await sharedPostgres(), { ...unprepared, ...settings });
    return {
      url: pgbouncer.url(name),
      async remove() {
        await pgbouncer.stop();
        await drop();
      },
    };
  }

  test("without a pooler is opened with its limits, and prepares statements", async () => {
    const { url, drop } = await databaseWithSchema();
    const { options, pooler } = await reachDatabase(url);
    expect([pooler, options.prepare, options.eachTransaction]).toEqual([undefined, undefined, undefined]);
    await drop();
  });

  test.each([
    ["that refuses parameters", {}],
    [
      "that ignores parameters",
      {
        ignore_startup_parameters:
          "statement_timeout,lock_timeout,idle_in_transaction_session_timeout,client_min_messages,intake.connection",
      },
    ],
    ["that gives out a backend for a whole session", { pool_mode: "session", default_pool_size: 10 }],
  ])("behind pgbouncer %s has its limits in each transaction", async (_, settings) => {
    const { url, remove } = await through(settings);
    const { pooler } = await reachDatabase(url);
    expect(pooler).toEqual({ prepares: false });
    const store = await openStore(url);
    expect(await store.write(limits)).toEqual(asked);
    expect(await store.write(limits, { isolation: "group" })).toEqual(asked);
    await store.close();
    await remove();
  });

  test("behind pgbouncer prepares statements where pgbouncer is new enough to know of them", async () => {
    const { url, remove } = await through(tracks ? { max_prepared_statements: 100 } : {});
    expect((await reachDatabase(url)).pooler).toEqual({ prepares: tracks });
    await remove();
  });

  test("behind pgbouncer that gives out a backend for each statement is refused with what to change", async () => {
    const { url, remove } = await through({ pool_mode: "statement" });
    await expect(reachDatabase(url)).rejects.toThrow("set pool_mode = transaction");
    await remove();
  });

  test("behind pgbouncer whose sessions are all given out is refused with what to change", async () => {
    const { url, remove } = await through({ pool_mode: "session", default_pool_size: 1 });
    const { options } = await reachDatabase(url);
    await expect(givesOutSessions(options)).rejects.toThrow("set pool_mode = transaction");
    await remove();
  });
});

test("what was acknowledged through pgbouncer is stored once, although backends end all the time", async () => {
  const { name, url, drop } = await databaseWithSchema();
  const postgres = await sharedPostgres();
  const stores = await Promise.all([openStore(bouncer.url(name)), openStore(bouncer.url(name))]);
  const acknowledged: string[] = [];
  let next = 0;
  let ended = 0;
  const client = async (store: PostgresStore, isolation: "alone" | "group") => {
    while (ended < 40) {
      const key = `n${next++}`;
      const write = function* (tx: Tx): Step<string> {
        yield* tx.run("insert into setting (name, value) values ($1, 'v')", [key]);
        return key;
      };
      const stored = function* (tx: Tx): Step<string | undefined> {
        return (yield* tx.one("select 1 as there from setting where name = $1", [key])) && key;
      };
      await store.write(write, { isolation, stored }).then(
        () => acknowledged.push(key),
        (error) => expect(error).toBeInstanceOf(StoreUnavailable),
      );
    }
  };
  const clients = stores.flatMap((store) => [client(store, "alone"), client(store, "group"), client(store, "group")]);
  const end = `select count(pg_terminate_backend(pid))::int as n from pg_stat_activity where datname = '${name}'`;
  while (ended < 40) ended += (await postgres.administer<{ n: number }>(end))[0]?.n ?? 0;
  await Promise.all(clients);
  await Promise.all(stores.map((store) => store.close()));
  const sql = new SQL(url, { max: 1 });
  const rows: { name: string }[] = await sql.unsafe("select name from setting");
  await sql.close();
  const there = new Set(rows.map((row) => row.name));
  expect(acknowledged.filter((key) => !there.has(key))).toEqual([]);
  expect(acknowledged.length).toBeGreaterThan(0);
  await drop();
}, 180_000);
