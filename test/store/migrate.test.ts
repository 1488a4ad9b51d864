import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { settings } from "../../server/core/settings.ts";
import {
  databasePath,
  MigrationRefused,
  migrate,
  migrationStatus,
  requireCurrent,
} from "../../server/store/migrate.ts";
import { migrations as released } from "../../server/store/migrations/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

setDefaultTimeout(180_000);

/** The first migration alone, as an older binary has it. */
const migrations = released.slice(0, 1);
const second = { number: 2, name: "colour", sql: "alter table project add column colour text;" };
const both = [...migrations, second];
const third = { number: 3, name: "size", sql: "alter table project add column size integer;" };

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const copies = () => (existsSync(`${folder}/backups`) ? readdirSync(`${folder}/backups`) : []);
const copyNumbers = () => {
  const db = new Database(`${folder}/backups/${copies()[0]}`, { readonly: true });
  const numbers = db.query<{ number: number }, []>("select number from migration order by number").all();
  db.close();
  return numbers.map(({ number }) => number);
};
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

test("one verified copy of the old schema is made before all steps", () => {
  migrate(folder, migrations);
  migrate(folder, [...both, third]);
  expect(columns()).toContain("colour");
  expect(copies()).toEqual([expect.stringMatching(/^before-schema-3-from-1-/)]);
  const db = new Database(`${folder}/backups/${copies()[0]}`, { readonly: true });
  expect(db.query("select number from migration").all()).toEqual([{ number: 1 }]);
  db.close();
});

test("a copy names the schema that it has and the one that follows", () => {
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

test("a later step that fails takes those before it back, and says where it stands and how to go on or back", () => {
  migrate(folder, migrations);
  const broken = { ...third, sql: "insert into nowhere values (1);" };
  expect(() => migrate(folder, [...both, broken])).toThrow(
    /stopped behind schema 2, and nothing was changed \(schema 1\): .*nowhere.*Forward: .*Back: an intake of schema 1 opens/,
  );
  expect(columns()).not.toContain("colour");
  const { current, upgrade } = migrationStatus(folder, [...both, third]);
  expect(current).toBe(1);
  expect(upgrade?.state).toBe("schema 1 of 3; an upgrade was begun and did not end, which has changed nothing");
  expect(upgrade?.forward).toMatch(/run: intake migrate up \(it needs \d+ MB free, \d+ MB are\)/);
});

test("progress is told step by step", () => {
  migrate(folder, migrations);
  const told: string[] = [];
  migrate(folder, [...both, third], (text) => told.push(text));
  expect(told).toEqual([
    expect.stringMatching(/^copying the database \(1 MB\) before the upgrade from schema 1 to 3$/),
    expect.stringContaining("the copy is verified"),
    "schema 1 → 2 (colour)",
    "schema 2 → 3 (size)",
    "the database has schema 3",
  ]);
});

test("older copies go beyond the number of the setting, the newest never", () => {
  const steps = Array.from({ length: 6 }, (_, i) => ({
    number: i + 2,
    name: `n${i}`,
    sql: `alter table project add column n${i} text;`,
  }));
  migrate(folder, migrations);
  for (let i = 1; i <= 4; i++) migrate(folder, [...migrations, ...steps.slice(0, i)]);
  const from = () => copies().map((name) => Number(/from-(\d+)/.exec(name)?.[1]));
  expect(from().sort()).toEqual([2, 3, 4]);
  const db = new Database(databasePath(folder));
  db.run("insert into setting (name, value) values ('upgrade_copies', '1')");
  db.close();
  migrate(folder, [...migrations, ...steps.slice(0, 5)]);
  expect(from()).toEqual([5]);
});

test("upgrades that fail keep the copies of earlier upgrades, and one copy of their own", () => {
  migrate(folder, migrations);
  migrate(folder, both);
  const [earlier] = copies();
  if (!earlier) throw new Error("the first upgrade made a copy");
  const db = new Database(databasePath(folder));
  db.run("insert into setting (name, value) values ('upgrade_copies', '1')");
  db.close();
  const broken = { ...third, sql: "insert into nowhere values (1);" };
  const own = () => copies().filter((name) => /^before-schema-3-from-2-.*\.db$/.test(name));
  let previous: string[] = [];
  for (let start = 1; start <= 4; start++) {
    expect(() => migrate(folder, [...both, broken])).toThrow(`${earlier} (schema 1)`);
    expect(copies()).toContain(earlier);
    expect(own()).toHaveLength(1);
    expect(own()).not.toEqual(previous);
    previous = own();
  }
  migrate(folder, [...both, third]);
  expect(copies()).toEqual(own());
  expect(own()).toHaveLength(1);
});

test("a start after a failed upgrade needs no more room than the one before: its copy goes before the steps", () => {
  migrate(folder, migrations);
  const db = new Database(databasePath(folder));
  db.run("create table filler (bytes blob)");
  db.run("insert into filler values (zeroblob(20000000))");
  db.close();
  const needed = () => Number(/needs (\d+) MB/.exec(migrationStatus(folder, both).upgrade?.forward ?? "")?.[1]);
  const before = needed();
  expect(() => migrate(folder, [...migrations, { ...second, sql: "insert into nowhere values (1);" }])).toThrow();
  expect(before - needed()).toBeGreaterThanOrEqual(20);
  expect(needed()).toBeGreaterThanOrEqual(60);
});

test("the copy of an upgrade that was committed is not replaced by one of the same upgrade after going back", () => {
  migrate(folder, migrations);
  migrate(folder, both);
  const [first] = copies();
  copyFileSync(`${folder}/backups/${first}`, databasePath(folder));
  expect(migrationStatus(folder, both).upgrade?.state).toBe("schema 1 of 2");
  migrate(folder, both);
  expect(copies()).toHaveLength(2);
  expect(copies()).toContain(first ?? "");
});

test("a kill between the commit and what follows it leaves a copy that is not replaced", () => {
  migrate(folder, migrations);
  migrate(folder, both);
  const [first] = copies();
  writeFileSync(`${folder}/backups/${first}.begun`, "");
  migrate(folder, both);
  expect(copies()).toEqual([first ?? ""]);
});

test("broken references from before an upgrade are named with what deletes them", () => {
  migrate(folder, released.slice(0, 8));
  const db = new Database(databasePath(folder));
  db.run("pragma foreign_keys = off");
  for (let i = 1; i <= 7; i++) db.run("insert into attempt (delivery_id, number, at) values ('gone', ?1, 1)", [i]);
  db.close();
  let message = "";
  try {
    migrate(folder, released);
  } catch (error) {
    message = (error as Error).message;
  }
  expect(message).toContain(
    'table attempt, 7 rows without their delivery (delivery_id number: "gone" 1, "gone" 2, "gone" 3, "gone" 4, "gone" 5, …)',
  );
  const [, command] = /start again: (sqlite3 .*") Back: /.exec(message) ?? [];
  expect(command).toContain(databasePath(folder));
  const [, statements] = /"(.*)"$/.exec(command ?? "") ?? [];
  const mended = new Database(databasePath(folder));
  mended.run(statements ?? "");
  expect(mended.query("pragma foreign_key_check").all()).toEqual([]);
  mended.close();
  migrate(folder, released);
  expect(migrationStatus(folder, released).pending).toEqual([]);
});

test("a step that itself breaks references says so, and deletes nothing", () => {
  migrate(folder, migrations);
  const db = new Database(databasePath(folder));
  db.run("create table owner (id text primary key)");
  db.run("create table thing (owner_id text references owner(id) deferrable initially deferred)");
  db.close();
  const breaking = { ...second, sql: "insert into thing values ('nobody');" };
  expect(() => migrate(folder, [...migrations, breaking])).toThrow(
    /table thing, 1 row without their owner \(rowid: 1\)\. Forward: .*the fault is in the upgrade/,
  );
});

test("what is left of a copy that was cut short is told, and goes with the next upgrade", () => {
  migrate(folder, migrations);
  mkdirSync(`${folder}/backups`);
  writeFileSync(`${folder}/backups/before-schema-2-from-1-2026-01-01T00-00-00-000Z.db.part`, "half");
  expect(migrationStatus(folder, both).upgrade?.state).toContain("an upgrade was begun and did not end");
  migrate(folder, both);
  expect(copies()).toEqual([expect.stringMatching(/^before-schema-2-from-1-.*\.db$/)]);
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

test("a folder of any released schema comes to the newest in one upgrade, with one copy", () => {
  for (const [i, { number }] of released.slice(0, -1).entries()) {
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    migrate(folder, released.slice(0, i + 1));
    migrate(folder, released);
    expect(migrationStatus(folder, released)).toMatchObject({ current: released.at(-1)?.number, pending: [] });
    expect(copies()).toEqual([expect.stringContaining(`-from-${number}-`)]);
    expect(copyNumbers()).toEqual(released.slice(0, i + 1).map((step) => step.number));
  }
});

test("every released step follows on the one before, from any of them", () => {
  for (const [i, step] of released.entries()) {
    migrate(folder, released.slice(0, i + 1));
    expect(migrationStatus(folder, released).current).toBe(step.number);
  }
  expect(copies()).toHaveLength(settings.upgrade_copies.default);
});

test("a released step that was changed is refused", () => {
  migrate(folder, migrations);
  const [core] = migrations;
  if (!core) throw new Error("there is a first step");
  expect(() => migrate(folder, [{ ...core, sql: `${core.sql}\n-- changed` }])).toThrow("not the one this binary knows");
});
