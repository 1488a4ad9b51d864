import "../../support/on-postgres.ts";
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync, readFileSync, rmSync } from "node:fs";
import type { PasswordTry } from "../../../server/accounts/sign-in-throttle.ts";
import { databaseNow, type Query } from "../../../server/app/cluster/connection.ts";
import { SharedPasswordThrottle } from "../../../server/app/cluster/shared-password-throttle.ts";
import { SharedReplayJobs } from "../../../server/app/cluster/shared-replay-jobs.ts";
import { SharedSetupSecrets } from "../../../server/app/cluster/shared-setup-secrets.ts";
import { SharedUploads } from "../../../server/app/cluster/shared-uploads.ts";
import { RateLimited } from "../../../server/core/rate-limited.ts";
import { StoreUnavailable } from "../../../server/core/store.ts";
import { ReportIndex } from "../../../server/reports/report-index.ts";
import { readDatabaseUrl } from "../../../server/store/postgres/connection.ts";
import { PostgresStore } from "../../../server/store/postgres/postgres-store.ts";
import { serve } from "../../support/binary.ts";
import { call } from "../../support/call.ts";
import { databases } from "../../support/databases.ts";
import { subscribe } from "../../support/deliveries.ts";
import { envelope, eventTools, storeReport } from "../../support/ingest.ts";
import { type Installation, install, newDataFolder } from "../../support/installation.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { until } from "../../support/until.ts";

// A new database, or a server to start first, costs a busy machine its time.
setDefaultTimeout(180_000);

let installation: Installation;
let stores: PostgresStore[];
/** Two processes, as heartbeats name them. */
const ids = ["one", "other"] as const;
let queries: Query[];

beforeAll(async () => {
  installation = await install();
  const connection = readDatabaseUrl(installation.databaseUrl ?? "");
  stores = await Promise.all(ids.map(() => PostgresStore.open({ connection, connections: 4 })));
  queries = stores.map(
    (store) =>
      (sql, params = []) =>
        store.query(sql, params) as never,
  );
});
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await installation.remove();
});
beforeEach(async () => {
  await run("delete from process");
  for (const id of ids) await run(insertProcess, [id]);
});

const run = (sql: string, params: readonly (string | number)[] = []) => stores[0]?.query(sql, params) ?? [];
const insertProcess = `insert into process (id, url, version, schema, started_at, seen_at) values ($1, '', '', 0, 0, 0)`;
const both = <T>(make: (query: Query, id: string) => T) =>
  queries.map((query, i) => make(query, ids[i] ?? "")) as [T, T];

/** 0 for what is admitted, else the seconds to wait. */
const secondsOf = (trying: Promise<unknown>): Promise<number> =>
  trying.then(
    () => 0,
    (error) => {
      if (error instanceof RateLimited) return error.seconds;
      throw error;
    },
  );

test("tries of a password count together: five at once are free, then the wait doubles, and a success starts afresh", async () => {
  const [one, other] = both((query) => new SharedPasswordThrottle(query));
  const tried: PasswordTry = { account: "ada", from: "here", group: undefined };
  const attempt = (throttle = other) => secondsOf(throttle.begin(tried));
  const atOnce = await Promise.all(Array.from({ length: 20 }, (_, i) => attempt(i % 2 ? one : other)));
  expect(atOnce.filter((seconds) => seconds === 0)).toHaveLength(5);
  expect(new Set(atOnce)).toEqual(new Set([0, 2]));
  // From this moment on, so that what the steps before have taken on a busy machine does not count.
  const age = (seconds: number) => run(`update password_try set latest = ${databaseNow} - $1`, [seconds * 1_000]);
  for (const seconds of [2, 4, 8, 16, 32, 64, 128, 256, 300, 300]) {
    expect(await attempt()).toBe(seconds);
    await age(seconds - 1);
    expect(await attempt(one)).toBe(1);
    await age(seconds);
    expect(await attempt()).toBe(0);
  }
  await one.undo(tried);
  await age(300);
  expect(await attempt()).toBe(0);
  await other.succeeded(tried);
  for (let i = 0; i < 5; i++) expect(await attempt(i % 2 ? one : other)).toBe(0);
  expect(await attempt()).toBe(2);
  await age(3_600);
  expect(await attempt()).toBe(0);
});

test("guessing from many addresses shares a hundred failures over all processes, six of which a minute are forgotten", async () => {
  const throttles = both((query) => new SharedPasswordThrottle(query));
  const attempt = (n: number, group = "strangers") =>
    secondsOf(throttles[n % 2 ? 0 : 1].begin({ account: "grace", from: `address ${n}`, group }));
  const first = await Promise.all(Array.from({ length: 110 }, (_, n) => attempt(n)));
  expect(first.filter((seconds) => seconds === 0)).toHaveLength(100);
  expect(Math.max(...first)).toBe(10);
  expect(await attempt(0, "from home")).toBe(0);
  await run("update password_try set latest = latest - 10000");
  expect([await attempt(200), await attempt(201)]).toEqual([0, 10]);
});

test("uploads at once count together, until they end or their process is gone", async () => {
  const [one, other] = both((query, id) => new SharedUploads(query, id));
  const limits = { perKey: 4, perAddress: 6, total: 100 };
  const begin = (places: SharedUploads, key: string, address = "here") => places.begin(key, address, limits);
  const begun = await Promise.allSettled(Array.from({ length: 12 }, (_, i) => begin(i % 2 ? one : other, "a")));
  const ends = begun.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  expect(ends).toHaveLength(4);
  const [refusal] = begun.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  expect(refusal).toMatchObject({ reason: "rate_limit_uploads_key", seconds: 1 });

  ends.push(await begin(one, "b"), await begin(other, "b"));
  await expect(begin(one, "c")).rejects.toMatchObject({ reason: "rate_limit_uploads_address" });
  for (const end of ends) await end();
  expect(await run("select 1 from upload")).toEqual([]);

  for (let i = 0; i < 4; i++) await begin(other, "a");
  await expect(begin(one, "a")).rejects.toBeInstanceOf(RateLimited);
  await run("delete from process where id = 'other'");
  const end = await begin(one, "a");
  expect(await run("select process from upload where process = 'one'")).toHaveLength(1);
  end();
});

test("an upload that has ended holds no place of the next one, at whatever process that arrives", async () => {
  const [one, other] = both((query, id) => new SharedUploads(query, id));
  const limits = { perKey: 1, perAddress: 1, total: 100 };
  const slow = new SharedUploads(async (sql, params) => {
    if (sql.startsWith("delete")) await Bun.sleep(20);
    return (queries[0] as Query)(sql, params);
  }, "one");
  for (const places of [slow, other, slow, one]) {
    const end = await places.begin("one at a time", "there", limits);
    await end();
  }
});

test("a new installation is set up with the link of any process, once", async () => {
  const [one, other] = both((query) => new SharedSetupSecrets(query));
  await one.add("of one", 60_000);
  await other.add("of the other", 120_000);
  await other.add("expired", -1);
  expect(await Promise.all(["of one", "of the other", "expired", "none"].map((hash) => one.has(hash)))).toEqual([
    ...[true, true, false, false],
  ]);
  expect(await one.left()).toBeWithin(110_000, 120_001);
  await other.remove("of the other");
  expect(await one.left()).toBeWithin(50_000, 60_001);
  await one.clear();
  expect([await one.left(), await other.has("of one")]).toEqual([0, false]);
});

test("the link that one process has printed opens the set-up at another one", async () => {
  const [first, second] = [await newDataFolder(), temporaryFolder()];
  databases.set(second, first.databaseUrl ?? "");
  const one = await serve(first.folder);
  copyFileSync(`${first.folder}/secret.key`, `${second}/secret.key`);
  const other = await serve(second);
  const secret = new URL(readFileSync(`${first.folder}/setup-link`, "utf8").trim()).hash.slice(1);
  const target = { send: (path: string, init?: RequestInit) => fetch(other.url + path, init) };
  const body = { organisation: "Example", email: "ada@example.org", password: "tractor lemon seven" };
  const setUp = (secret: string) => call(target, "POST", "/internal/setup", { body: { ...body, secret } });
  expect((await setUp("another")).status).toBe(403);
  expect((await setUp(secret)).status).toBe(200);
  expect((await setUp(secret)).status).toBe(403);
  expect(await (await fetch(`${one.url}/internal/setup`)).json()).toEqual({ state: "done" });
  await Promise.all([one.stop(), other.stop()]);
  rmSync(second, { recursive: true });
  await first.remove();
});

test("every process knows the replay of a subscriber and stops it, and none begins a second one", async () => {
  const [one, other] = both((query, id) => new SharedReplayJobs(query, id));
  const { id: subscriber } = await subscribe(installation);
  const startedAt = "2026-05-01T00:00:00.000Z";
  const progress = { of: "dead", state: "running", since: startedAt, startedAt, replayed: 0 } as const;
  const begun = await Promise.all([one, other, one, other].map((jobs) => jobs.begin(subscriber, progress)));
  const job = begun.find((id) => id !== undefined) ?? "";
  expect(begun.filter((id) => id !== undefined)).toHaveLength(1);
  expect(await one.advance(subscriber, job, 500)).toBe(true);
  expect(await other.find(subscriber)).toEqual({ ...progress, replayed: 500 });
  await other.stop(subscriber);
  expect(await one.advance(subscriber, job, 1_000)).toBe(false);
  await one.end(subscriber, job, "done");
  expect(await one.find(subscriber)).toMatchObject({ state: "stopped", replayed: 500 });

  const second = (await other.begin(subscriber, progress)) ?? "";
  expect(await one.begin(subscriber, progress)).toBeUndefined();
  await run("delete from process where id = 'other'");
  expect(await one.find(subscriber)).toMatchObject({ state: "stopped" });
  const third = (await one.begin(subscriber, progress)) ?? "";
  expect(await other.advance(subscriber, second, 1)).toBe(false);
  await one.end(subscriber, third, "done");
  expect(await other.find(subscriber)).toEqual({ ...progress, state: "done" });
  expect(await other.find(crypto.randomUUID())).toBeUndefined();
});

test("a replay that ended while the database was away goes on for nobody once it is back", async () => {
  const subscriber = (await subscribe(installation)).id;
  let away = false;
  const jobs = new SharedReplayJobs(async (sql, params) => {
    if (away) throw new StoreUnavailable("away");
    return (queries[0] as Query)(sql, params);
  }, "one");
  jobs.writingEnds.start();
  const startedAt = new Date(0).toISOString();
  const progress = { of: "dead", state: "running", since: startedAt, startedAt, replayed: 0 } as const;
  const job = (await jobs.begin(subscriber, progress)) ?? "";
  away = true;
  await expect(jobs.end(subscriber, job, "failed")).rejects.toBeInstanceOf(StoreUnavailable);
  away = false;
  await until(async () => ((await jobs.find(subscriber))?.state === "failed" ? true : undefined));
  expect(await jobs.begin(subscriber, progress)).toBeDefined();
  await jobs.writingEnds.stop();
});

test("reports that another process has stored and not indexed yet are counted", async () => {
  const { reader } = eventTools(installation);
  const [index] = stores.map((store) => new ReportIndex({ store, reader, now: Date.now }));
  for (let i = 0; i < 3; i++) await storeReport(installation, [envelope({ title: `Report ${i}` })]);
  const project = installation.made.project.id;
  expect([await index?.behind(100), await index?.behind(2), await index?.behind(100, project)]).toEqual([3, 2, 3]);
  expect(await index?.behind(100, crypto.randomUUID())).toBe(0);
});
