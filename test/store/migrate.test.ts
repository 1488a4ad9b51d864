import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, readdirSync, rmSync } from "node:fs";
import {
  databasePath,
  MigrationRefused,
  migrate,
  migrationStatus,
  requireCurrent,
} from "../../server/store/migrate.ts";
import { migrations as released } from "../../server/store/migrations/index.ts";
import { temporaryFolder } from "../support/installation.ts";

/** The first step alone, as an older binary knows it. */
const migrations = released.slice(0, 1);
const second = { number: 2, name: "colour", sql: "alter table project add column colour text;" };
const both = [...migrations, second];

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const copies = () => (existsSync(`${folder}/backups`) ? readdirSync(`${folder}/backups`) : []);
const columns = () => {
  const db = new Database(databasePath(folder), { readonly: true });
  const names = db.query<{ name: string }, []>("select name from pragma_table_info('project')").all();
  db.close();
  return names.map(({ name }) => name);
};

test("an empty directory gets the newest schema and no copy", () => {
  migrate(folder, both);
  expect(migrationStatus(folder, both)).toMatchObject({ current: 2, newest: 2, pending: [] });
  expect(copies()).toEqual([]);
});

test("a second time changes nothing", () => {
  migrate(folder, migrations);
  migrate(folder, migrations);
  expect(migrationStatus(folder, migrations).applied).toHaveLength(1);
});

test("a verified copy of the old schema is made before each step", () => {
  migrate(folder, migrations);
  migrate(folder, both);
  expect(columns()).toContain("colour");
  const [copy] = copies();
  expect(copy).toStartWith("before-schema-2-from-1-");
  const db = new Database(`${folder}/backups/${copy}`, { readonly: true });
  expect(db.query("select number from migration").all()).toEqual([{ number: 1 }]);
  db.close();
});

test("a step that fails leaves the old schema whole", () => {
  migrate(folder, migrations);
  const broken = { ...second, sql: "alter table project add column colour text; insert into nowhere values (1);" };
  expect(() => migrate(folder, [...migrations, broken])).toThrow("nowhere");
  expect(columns()).not.toContain("colour");
  expect(migrationStatus(folder, migrations).current).toBe(1);
});

test("a newer schema is refused and names the copy to go back to", () => {
  migrate(folder, migrations);
  migrate(folder, both);
  expect(() => migrate(folder, migrations)).toThrow(MigrationRefused);
  expect(() => migrate(folder, migrations)).toThrow(/schema 2, this binary knows up to 1.*before-schema-2-from-1-/);
});

test("an older schema is refused by commands, which say what to do", () => {
  migrate(folder, migrations);
  expect(() => requireCurrent(folder, both)).toThrow("intake migrate up");
});

test("every released step follows on the one before, from any of them", () => {
  for (const [i] of released.entries()) {
    migrate(folder, released.slice(0, i + 1));
    expect(migrationStatus(folder, released).current).toBe(i + 1);
  }
  expect(copies()).toHaveLength(released.length - 1);
});

test("a released step that was changed is refused", () => {
  migrate(folder, migrations);
  const [core] = migrations;
  if (!core) throw new Error("there is a first step");
  expect(() => migrate(folder, [{ ...core, sql: `${core.sql}\n-- changed` }])).toThrow("not the one this binary knows");
});
