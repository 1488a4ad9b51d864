import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Verdict } from "../../../server/core/limiter.ts";
import { readDatabaseUrl } from "../../../server/store/postgres/connection.ts";
import { PostgresStore } from "../../../server/store/postgres/postgres-store.ts";
import { SharedLimits } from "../../../server/store/postgres/shared-limits.ts";
import { cuttingAtCommits } from "../../support/cutting-at-commits.ts";
import { databaseWithSchema } from "../../support/postgres-schema.ts";

let stores: PostgresStore[];
let url: string;
let drop: () => Promise<void>;

beforeAll(async () => {
  const database = await databaseWithSchema();
  ({ url, drop } = database);
  const open = () => PostgresStore.open({ connection: readDatabaseUrl(database.url), connections: 4 });
  stores = await Promise.all([open(), open(), open(), open()]);
});
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await drop();
});

const queryOf =
  (store: PostgresStore): ConstructorParameters<typeof SharedLimits>[0] =>
  (...asked) =>
    store.query(...asked);
/** The limits of four processes. */
const processes = () => stores.map((store) => new SharedLimits(queryOf(store)).of("credential"));
const admittedOf = (verdicts: readonly Verdict[]) => verdicts.filter(({ admitted }) => admitted).length;
/** Expects a refusal for so many seconds, or for a few less when a busy machine has taken them to ask. */
function expectRefusal(verdict: Verdict | undefined, seconds: number) {
  expect(verdict).toMatchObject({ admitted: false });
  expect(verdict?.seconds).toBeWithin(seconds - 4, seconds + 1);
}
/** As if this much time had gone by since the requests of an id. */
const age = (id: string, milliseconds: number) =>
  stores[0]?.query("update rate set times = array(select t - $2 from unnest(times) as t) where id = $1", [
    `credential ${id}`,
    milliseconds,
  ]);

test.each([60, 600, 5_000])(
  "of %d requests in 60 s, all and no more are admitted over four processes",
  async (limit) => {
    const id = `flood ${limit}`;
    const limits = processes();
    const verdicts: Verdict[] = [];
    await Promise.all(
      limits.map(async (limiter) => {
        for (let i = 0; i < limit; i += 100) {
          verdicts.push(...(await Promise.all(Array.from({ length: 100 }, () => limiter.take(id, limit)))));
        }
      }),
    );
    expect(admittedOf(verdicts)).toBe(limit);
    const remaining = verdicts.filter(({ admitted }) => admitted).map(({ remaining }) => remaining);
    expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: limit }, (_, i) => i));
  },
);

test("what is refused is admitted after the seconds that it was told, and not before", async () => {
  const take = () => processes()[0]?.take("wait", 3);
  await Promise.all(Array.from({ length: 3 }, take));
  // However long a statement takes, the answer lies between what is left before it and after it.
  const refused = async () => {
    const before = await millisecondsLeft("wait");
    const verdict = await take();
    expect(verdict).toMatchObject({ admitted: false, remaining: 0 });
    const [least, most] = [await millisecondsLeft("wait"), before].map((left) => Math.ceil(left / 1_000));
    expect(verdict?.seconds).toBeWithin(least as number, (most as number) + 1);
    return verdict?.seconds ?? 0;
  };
  await age("wait", 30_500);
  await refused();
  await age("wait", 20_000);
  const seconds = await refused();
  await age("wait", seconds * 1_000);
  expect(await take()).toMatchObject({ admitted: true, remaining: 2 });
});

/** Until the oldest request of an id leaves the window of a minute. */
async function millisecondsLeft(id: string): Promise<number> {
  const rows = await stores[0]?.query(
    "select 60000 + times[1] - extract(epoch from clock_timestamp()) * 1000 as left from rate where id = $1",
    [`credential ${id}`],
  );
  return Number(rows?.[0]?.["left"]);
}

test("a request leaves the window by the clock, also while the last one is stamped with a later time", async () => {
  const limit = 1_000;
  const id = "later stamp";
  await processes()[0]?.take(id, limit);
  await stores[0]?.query(
    `update rate set counts = '{999,1}', times = array(
       select extract(epoch from clock_timestamp()) * 1000 + milliseconds from unnest('{-50000,20000}'::integer[]) as milliseconds)
     where id = $1`,
    [`credential ${id}`],
  );
  expectRefusal(await processes()[0]?.take(id, limit), 10);
});

test("a lowered limit waits until enough requests have left the window", async () => {
  const [limiter] = processes();
  for (let i = 0; i < 3; i++) {
    await limiter?.take("lowered", 10);
    await age("lowered", 10_000);
  }
  expectRefusal(await processes()[0]?.take("lowered", 1), 50);
});

test("a request that is given back makes room for another", async () => {
  const [one, other] = processes();
  const first = (await one?.take("back", 1)) as Verdict;
  expect(await one?.take("back", 1)).toMatchObject({ admitted: false });
  await one?.giveBack("back", first);
  expect(await other?.take("back", 1)).toMatchObject({ admitted: true });
});

test("a request is given back once, also when nobody knows whether it was", async () => {
  const way = await cuttingAtCommits(url);
  const store = await PostgresStore.open({ connection: readDatabaseUrl(way.url), connections: 4 });
  const [cut, [other]] = [new SharedLimits(queryOf(store)).of("credential"), processes()];
  const [first] = await Promise.all([cut.take("once", 2), cut.take("once", 2)]);
  way.cut("after", "SELECT 1");
  await cut.giveBack("once", first);
  const verdicts = await Promise.all([other?.take("once", 2), other?.take("once", 2)]);
  expect(verdicts.map((verdict) => verdict?.admitted)).toEqual([true, false]);
  await store.close();
  way.stop();
});

test("a refusal is answered without asking until its time is over, and asked again when the limit has changed", async () => {
  let asked = 0;
  const [store] = stores;
  const limits = new SharedLimits((sql, params) => {
    asked++;
    return (store as PostgresStore).query(sql, params);
  }).of("credential");
  await limits.take("known", 1);
  await limits.take("known", 1);
  for (let i = 0; i < 100; i++) expect(await limits.take("known", 1)).toMatchObject({ admitted: false });
  expect(asked).toBe(2);
  expect(await limits.take("known", 2)).toMatchObject({ admitted: true });
});

test("requests of one turn are counted by one statement", async () => {
  let asked = 0;
  const [store] = stores;
  const limits = new SharedLimits((sql, params) => {
    asked++;
    return (store as PostgresStore).query(sql, params);
  }).of("credential");
  const verdicts = await Promise.all(Array.from({ length: 50 }, (_, i) => limits.take(`turn ${i % 5}`, 7)));
  expect([asked, admittedOf(verdicts)]).toEqual([1, 35]);
});
