import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { databasePath, migrate } from "../../../server/store/migrate.ts";
import { migrations } from "../../../server/store/migrations/index.ts";
import { postgresMigrations } from "../../../server/store/postgres/migrations/index.ts";
import { type ScratchDatabase, sharedPostgres } from "../../support/postgres.ts";
import { connected, databaseWithSchema } from "../../support/postgres-schema.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { describeSchema, type TableDescription } from "./describe-schema.ts";
import { permitted } from "./permitted-differences.ts";

/**
 * SQLite's schema is translated word by word and made on PostgreSQL too, so that PostgreSQL itself puts checks,
 * predicates and defaults of both into the same words.
 */
const databases: ScratchDatabase[] = [];
let own: Record<string, TableDescription>;
let translated: Record<string, TableDescription>;

beforeAll(async () => {
  const [ours, other] = await Promise.all([databaseWithSchema(), (await sharedPostgres()).createDatabase()]);
  databases.push(ours, other);
  own = await connected(ours.url, describeSchema);
  translated = await connected(other.url, async (db) => {
    for (const { sql } of sqliteSchema()) await db.run(translate(sql));
    return describeSchema(db);
  });
}, 180_000);

afterAll(async () => {
  await Promise.all(databases.map((database) => database.drop()));
});

test("both have the same tables, but for those that are named", () => {
  expect(Object.keys(own).sort()).toEqual([...Object.keys(translated), ...Object.keys(permitted.onlyPostgres)].sort());
  for (const [name, columns] of Object.entries(permitted.onlyPostgres))
    expect(own[name]?.columns).toEqual([...columns]);
});

test("each table has the same columns, keys, checks and indexes", () => {
  for (const [name, table] of Object.entries(translated))
    expect([name, own[name]]).toEqual([name, permittedForm(name, table)]);
});

test("every permitted difference is one", () => {
  const sqlite = sqliteObjects().map(({ name }) => name);
  expect(Object.keys(permitted.onlySqlite).filter((name) => !sqlite.includes(name))).toEqual([]);
  const integers = Object.entries(translated).flatMap(([table, { columns }]) =>
    columns.filter((line) => line.includes(" integer")).map((line) => `${table}.${line.split(" ", 1)[0]}`),
  );
  for (const column of [...permitted.bigint, ...permitted.identity]) expect(integers).toContain(column);
});

test("a step that both have, has one number and one name; PostgreSQL's numbers grow from its baseline", () => {
  const names = new Map(migrations.map(({ number, name }) => [number, name]));
  const [baseline, ...later] = postgresMigrations;
  expect(baseline?.number).toBe(16);
  for (const { number, name } of later) expect(names.get(number) ?? name).toBe(name);
  expect(postgresMigrations.map(({ number }) => number)).toEqual(
    [...new Set(postgresMigrations.map(({ number }) => number))].sort((a, b) => a - b),
  );
});

interface SqliteObject {
  name: string;
  sql: string;
}

/** What the steps of SQLite make, in the order in which it was made. */
function sqliteObjects(): SqliteObject[] {
  const folder = temporaryFolder();
  migrate(folder, migrations);
  const db = new Database(databasePath(folder), { readonly: true });
  const rows = db
    .query<SqliteObject, []>("select name, sql from sqlite_schema where sql is not null order by rowid")
    .all();
  db.close();
  rmSync(folder, { recursive: true });
  return rows;
}

/** Without the tables that FTS5 keeps its index in. */
function sqliteSchema(): SqliteObject[] {
  const others = [...Object.keys(permitted.onlySqlite), "migration"];
  const ofIndex = /^(card_search|report_text)_(data|idx|content|docsize|config)$/;
  return sqliteObjects().filter(({ name }) => !others.includes(name) && !ofIndex.test(name));
}

const types: Record<string, string> = {
  text: 'text collate "C"',
  real: "double precision",
  integer: "integer",
  blob: "bytea",
};

function translate(sql: string): string {
  return sql
    .replace(/\)\s*strict(, without rowid)?$/, ")")
    .replace(
      /((?:^|,)\s*[a-z_0-9]+) (text|real|integer|blob)(?=[ ,\n)])/gm,
      (_, column, type) => `${column} ${types[type]}`,
    );
}

/** The table as it may be on PostgreSQL. */
function permittedForm(table: string, { columns, ...rest }: TableDescription): TableDescription {
  return {
    ...rest,
    columns: columns.map((line) => {
      const column = `${table}.${line.split(" ", 1)[0]}`;
      const typed = bigint.includes(column) ? line.replace(" integer", " bigint") : line;
      return identity.includes(column) ? `${typed} identity` : typed;
    }),
    storage: storage[table] ?? "",
  };
}
const bigint: readonly string[] = permitted.bigint;
const identity: readonly string[] = permitted.identity;
const storage: Readonly<Record<string, string>> = permitted.storage;
