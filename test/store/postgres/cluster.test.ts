import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { Cluster } from "../../../server/app/cluster/cluster.ts";
import { ClusterConnection, type Query } from "../../../server/app/cluster/connection.ts";
import { DutyStore } from "../../../server/app/cluster/duty-store.ts";
import { insertFacts } from "../../../server/app/cluster/fact-writer.ts";
import type { ChangeEvent } from "../../../server/core/change-event.ts";
import { StoreUnavailable, type Tx } from "../../../server/core/store.ts";
import { readDatabaseUrl } from "../../../server/store/postgres/connection.ts";
import { migrateDatabase } from "../../../server/store/postgres/migrate.ts";
import { postgresMigrations } from "../../../server/store/postgres/migrations/index.ts";
import { PostgresStore } from "../../../server/store/postgres/postgres-store.ts";
import { type ScratchDatabase, ScratchPostgres, sharedPostgres } from "../../support/postgres.ts";
import { connected, databaseWithSchema } from "../../support/postgres-schema.ts";
import { until } from "../../support/until.ts";

// A new database, or a server to start first, costs a busy machine its time.
setDefaultTimeout(180_000);

let database: ScratchDatabase;
let connection: ClusterConnection;
let query: Query;
let clusters: Member[] = [];
beforeEach(async () => {
  database = await databaseWithSchema();
  connection = new ClusterConnection(readDatabaseUrl(database.url));
  query = connection.query;
});
afterEach(async () => {
  await Promise.all(clusters.map(({ cluster }) => cluster.stop()));
  clusters = [];
  connection.close();
  await database.drop();
});

interface Member {
  cluster: Cluster;
  heard: ChangeEvent[];
  /** How often this process was told that anything may have changed. */
  lost(): number;
  /** How often it was told that others have ended. */
  gone(): number;
  listens: boolean;
  /** How often this process was asked whether it listens. */
  asked(): number;
}

/** Another process, which listens. */
async function join(url = database.url): Promise<Member> {
  const cluster = new Cluster(readDatabaseUrl(url));
  let [lost, gone, asked] = [0, 0, 0];
  const member: Member = {
    ...{ cluster, heard: [], listens: true },
    ...{ lost: () => lost, gone: () => gone, asked: () => asked },
  };
  cluster.connect({
    listening: () => {
      asked++;
      return member.listens;
    },
    heard: (changes) => member.heard.push(...changes),
    lost: () => {
      lost++;
    },
    forget: () => {},
    gone: () => {
      gone++;
    },
  });
  await cluster.start();
  clusters.push(member);
  return member;
}

const card = (id: string): ChangeEvent => ({ kind: "card", id, in: "board" });
const numbers = (from: number, count: number) => Array.from({ length: count }, (_, i) => String(from + i));

/** Waits until a process has heard of a card. */
const hears = ({ heard }: Member, id: string) => until(() => (heard.some((one) => one.id === id) ? true : undefined));

/** Waits until a process has been asked twice more whether it listens, which it is at each look for what is new. */
function asksAgain({ asked }: Member) {
  const enough = asked() + 2;
  return until(() => asked() >= enough || undefined);
}

test("all processes but the one that tells hear each change once and in order", async () => {
  const [one, other, third] = [await join(), await join(), await join()];
  for (const id of numbers(0, 40)) {
    one.cluster.tell(card(id));
    await Bun.sleep(5);
  }
  third.cluster.tell(card("last"));
  await Promise.all([hears(other, "39"), hears(third, "39"), hears(one, "last"), hears(other, "last")]);
  expect(one.heard.map(({ id }) => id)).toEqual(["last"]);
  expect(third.heard.map(({ id }) => id)).toEqual(numbers(0, 40));
  expect(other.heard.filter(({ id }) => id !== "last")).toEqual(numbers(0, 40).map(card));
  expect([one.lost(), other.lost(), third.lost()]).toEqual([0, 0, 0]);
});

test("what concerns one process alone is not told to others", async () => {
  const [one, other] = [await join(), await join()];
  one.cluster.tell({ kind: "storage", id: "storage" });
  one.cluster.tell(card("1"));
  await hears(other, "1");
  expect(other.heard).toEqual([card("1")]);
});

test("more changes at once than pages could fetch tell that anything may have changed", async () => {
  const [one, other] = [await join(), await join()];
  for (const id of numbers(0, 600)) one.cluster.tell(card(id));
  await until(() => other.lost() || undefined);
  expect([other.heard.length, other.lost()]).toEqual([0, 1]);
});

test("whoever did not listen for a while hears what was told meanwhile", async () => {
  const [one, other] = [await join(), await join()];
  one.cluster.tell(card("1"));
  await hears(other, "1");
  other.listens = false;
  // What it was reading before has been read then.
  await asksAgain(other);
  one.cluster.tell(card("2"));
  await until(async () =>
    (await query("select 1 from fact where facts like '%\"2\"%'")).length > 0 ? true : undefined,
  );
  await asksAgain(other);
  expect(other.heard).toEqual([card("1")]);
  other.listens = true;
  await hears(other, "2");
  expect(other.lost()).toBe(0);
});

test("a missing number tells that anything may have changed, once", async () => {
  const { lost, heard } = await join();
  const stream = crypto.randomUUID();
  const write = (seq: number) => query(insertFacts, [stream, seq, JSON.stringify([card(String(seq))])]);
  for (const seq of [1, 2]) await write(seq);
  await until(() => (heard.length === 2 ? true : undefined));
  expect(lost()).toBe(0);
  for (const seq of [4, 5]) await write(seq);
  await until(() => (heard.length === 4 ? true : undefined));
  expect(lost()).toBe(1);
});

test("when connections end, everything that was told is heard, and whoever read looks at everything again", async () => {
  const [one, other] = [await join(), await join()];
  for (const id of numbers(0, 60)) {
    one.cluster.tell(card(id));
    if (Number(id) % 20 === 10) {
      await (await sharedPostgres()).administer(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database.name}'`,
      );
    }
    await Bun.sleep(10);
  }
  await hears(other, "59");
  expect(new Set(other.heard.map(({ id }) => id))).toEqual(new Set(numbers(0, 60)));
  expect(other.lost()).toBeGreaterThan(0);
});

test("a process does a duty alone; it passes to another one with the stop, and from one that is gone", async () => {
  const [one, other] = [await join(), await join()];
  const doing: string[] = [];
  const work = (name: string) => ({
    start: () => void doing.push(name),
    stop: async () => void doing.splice(doing.indexOf(name), 1),
  });
  const duties = {
    one: one.cluster.duties.of("sweep", work("one")),
    other: other.cluster.duties.of("sweep", work("other")),
  };
  duties.one.start();
  await until(() => (doing.length === 1 ? true : undefined));
  duties.other.start();
  await Bun.sleep(2_500);
  expect(doing).toEqual(["one"]);

  await duties.one.stop();
  await one.cluster.stop();
  clusters = clusters.filter((member) => member !== one);
  await until(() => (doing.includes("other") ? true : undefined));
  expect(doing).toEqual(["other"]);

  // Another process takes it, as happens when this one was paused.
  await query("update duty set holder = 'another', until = until + 60000");
  await query(
    "insert into process (id, url, version, schema, started_at, seen_at) values ('another', '', '', 0, 0, 1e300)",
  );
  await until(() => (doing.length === 0 ? true : undefined));
  await query("delete from process where id = 'another'");
  await until(() => (doing.length === 1 ? true : undefined));
});

test("a step that began before a process lost its duty writes nothing once another one has it", async () => {
  const { cluster } = await join();
  const begun = Promise.withResolvers<void>();
  cluster.duties.of("sweep", { start: begun.resolve, stop: async () => {} }).start();
  await begun.promise;
  const store = await PostgresStore.open({ connection: readDatabaseUrl(database.url), connections: 4 });
  const steps = new DutyStore(store, "sweep", cluster.id);
  const step = (tx: Tx) => tx.run("insert into setting (name, value) values ('step', 'done')");
  await steps.write(step);
  const done = () => store.all("delete from setting where name = 'step' returning name");
  expect(await done()).toHaveLength(1);

  await query("update duty set holder = 'another', until = until + 60000");
  await expect(steps.write(step)).rejects.toBeInstanceOf(StoreUnavailable);
  await expect(steps.writeDerived(step, { within: 10 })).rejects.toBeInstanceOf(StoreUnavailable);
  expect(await done()).toHaveLength(0);
  await store.close();
});

test("after an outage that is longer than a process may be silent, none counts another one as dead", async () => {
  const postgres = await ScratchPostgres.start();
  const { url } = await postgres.createDatabase();
  await connected(url, (db) => migrateDatabase(db, postgresMigrations, { now: Date.now }));
  const members = [await join(url), await join(url)];
  // Both have been there for so long that they would remove others.
  await Bun.sleep(7_000);
  await postgres.stop("immediate");
  await until(() => (members.some(({ cluster }) => cluster.alive()) ? undefined : true));
  await Bun.sleep(1_000);
  await postgres.restart();
  await until(() => (members.every(({ cluster }) => cluster.alive()) ? true : undefined));
  await Bun.sleep(7_000);
  expect(members.map(({ gone }) => gone())).toEqual([0, 0]);
  await Promise.all(members.map(({ cluster }) => cluster.stop()));
  clusters = [];
  await postgres.remove();
});
