import { afterAll, beforeEach, expect, test } from "bun:test";
import { databaseStatus, migrateDatabase, requireSchema } from "../../../server/store/postgres/migrate.ts";
import { type PhasedMigration, postgresMigrations } from "../../../server/store/postgres/migrations/index.ts";
import { type ScratchDatabase, sharedPostgres } from "../../support/postgres.ts";
import { connected } from "../../support/postgres-schema.ts";

const now = () => Date.UTC(2026, 0, 2);
const first: PhasedMigration = {
  number: 1,
  name: "first",
  phase: "expand",
  sql: "create table one (id integer); select 1",
};
const second: PhasedMigration = {
  number: 2,
  name: "second",
  phase: "expand",
  sql: "alter table one add column name text",
};
const third: PhasedMigration = { number: 3, name: "third", phase: "contract", sql: "alter table one drop column name" };

const databases: ScratchDatabase[] = [];
let url: string;
beforeEach(async () => {
  const database = await (await sharedPostgres()).createDatabase();
  databases.push(database);
  url = database.url;
});
afterAll(async () => {
  await Promise.all(databases.map((database) => database.drop()));
});

const migrated = (known: readonly PhasedMigration[], contract = false) =>
  connected(url, (db) => migrateDatabase(db, known, { now, contract }));
const status = (known: readonly PhasedMigration[]) => connected(url, (db) => databaseStatus(db, known));
const required = (known: readonly PhasedMigration[]) => connected(url, (db) => requireSchema(db, known));

test("an empty database gets the whole schema, once, however many processes start at the same time", async () => {
  await Promise.all(Array.from({ length: 6 }, () => migrated(postgresMigrations)));
  const { current, newest, applied, pending } = await status(postgresMigrations);
  expect({ current, pending }).toEqual({ current: newest, pending: [] });
  expect(applied[0]).toEqual({ number: 16, name: "baseline", appliedAt: "2026-01-02T00:00:00.000Z" });
  await required(postgresMigrations);
});

test("a database without a schema is refused, and nothing is made in it", async () => {
  await expect(required(postgresMigrations)).rejects.toThrow("intake migrate up");
  expect(await status(postgresMigrations)).toMatchObject({ current: 0, applied: [] });
});

test("a step that fails leaves the schema that was there, and the steps before it", async () => {
  const broken: PhasedMigration = { ...second, sql: "alter table one add column name text; select nothing" };
  await expect(migrated([first, broken])).rejects.toThrow("nothing");
  expect((await status([first, second])).current).toBe(1);
  await migrated([first, second]);
  expect((await status([first, second])).current).toBe(2);
});

test("an older binary goes on behind a step that only adds", async () => {
  await migrated([first, second]);
  await required([first]);
  expect((await status([first])).current).toBe(2);
});

test("a step that older binaries do not survive waits to be asked for, and then they are refused", async () => {
  await migrated([first, second]);
  await migrated([first, second, third]);
  expect((await status([first, second, third])).current).toBe(2);
  // The newer binary works with both.
  await required([first, second, third]);
  await migrated([first, second, third], true);
  expect((await status([first, second, third])).current).toBe(3);
  await expect(required([first, second])).rejects.toThrow("start a newer intake");
});

test("what is to be added behind such a step is refused until the step was made", async () => {
  await migrated([first]);
  const behind: PhasedMigration = { number: 4, name: "fourth", phase: "expand", sql: "create table four (id integer)" };
  await migrated([first, third, behind]);
  await expect(required([first, third, behind])).rejects.toThrow("intake migrate up --contract");
});

test("an empty database gets such postgresMigrations at once", async () => {
  await migrated([first, second, third]);
  expect((await status([first, second, third])).current).toBe(3);
});

test("a step that is not the one the database was made with is refused", async () => {
  await migrated([first]);
  await expect(migrated([{ ...first, sql: "create table other (id integer)" }, second])).rejects.toThrow(
    "step 1 of the database's schema is not the one this binary knows",
  );
  await expect(required([second])).rejects.toThrow("step 1");
});

test("a database whose encoding is not UTF-8 is refused", async () => {
  const postgres = await sharedPostgres();
  const name = `latin_${crypto.randomUUID().replaceAll("-", "")}`;
  await postgres.administer(
    `create database ${name} owner intake template template0 encoding 'LATIN1' locale_provider libc locale 'C'`,
  );
  url = postgres.url(name);
  await expect(migrated(postgresMigrations)).rejects.toThrow("encoding is LATIN1");
  await postgres.administer(`drop database ${name}`);
});
