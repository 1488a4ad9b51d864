import { Database } from "bun:sqlite";
import { rmSync } from "node:fs";
import type { Sql } from "../../../server/core/store.ts";
import { databasePath, migrate } from "../../../server/store/migrate.ts";
import { migrations } from "../../../server/store/migrations/index.ts";
import { connected, databaseWithSchema } from "../../support/postgres-schema.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { permitted } from "./permitted-differences.ts";

/** Tables that PostgreSQL has not: what names them is run by SQLite's adapter, or by the parts that SQLite alone needs. */
const tablesOfSqlite = Object.keys(permitted.onlySqlite).filter((name) => !(name in permitted.onlyPostgres));

/** Tables that SQLite has not: what names them is run where several processes share a database. */
const tablesOfPostgres = Object.keys(permitted.onlyPostgres).filter((name) => !(name in permitted.onlySqlite));

/** What tests of one engine, and the adapters themselves, say to it. */
const ofOneEngine = [
  /^set local /,
  /\bpg_\w+|hashtextextended\(|::text as row\b/,
  new RegExp(`\\b(from|into|update|join) "?(${tablesOfPostgres.join("|")})\\b`),
  /\bcurrent_setting\(/,
  /^insert into migration \(number, name, checksum, applied_at, phase\)/,
  /^create temporary table |\bhas_database_privilege\(/,
  /^\s*explain /,
  /^pragma /,
  /^select from nothing$/,
  /^select rowid from card_search where card_search match 'word'$/,
  /^insert into card_search \(rowid, title, short\) values \(1, 'a word', 'x'\)$/,
  new RegExp(`\\b(${tablesOfSqlite.join("|")})\\b`),
];

/** What keeps texts from being prepared on either engine, a sentence each. */
export async function faultsOf(texts: readonly Sql[]): Promise<string[]> {
  const asked = texts.filter((sql) => !(typeof sql === "string" && ofOneEngine.some((shape) => shape.test(sql))));
  return [...faultsOnSqlite(asked), ...(await faultsOnPostgres(asked))];
}

function faultsOnSqlite(texts: readonly Sql[]): string[] {
  const folder = temporaryFolder();
  migrate(folder, migrations);
  const db = new Database(databasePath(folder));
  const faults = new Set(texts.map((sql) => (typeof sql === "string" ? sql : sql.sqlite))).values().flatMap((text) => {
    try {
      db.prepare(text.replace(/\$(\d+)/g, "?$1")).finalize();
      return [];
    } catch (error) {
      return [sentence("SQLite", error, text)];
    }
  });
  const all = [...faults];
  db.close();
  rmSync(folder, { recursive: true });
  return all;
}

async function faultsOnPostgres(texts: readonly Sql[]): Promise<string[]> {
  const database = await databaseWithSchema();
  const faults: string[] = [];
  await connected(database.url, async (db) => {
    const all = new Set(texts.map((sql) => (typeof sql === "string" ? sql : sql.postgres)));
    for (const [number, text] of [...all].entries()) {
      await db.run(`prepare text_${number} as ${text}`).catch((error) => {
        faults.push(sentence("PostgreSQL", error, text));
      });
    }
  });
  await database.drop();
  return faults;
}

function sentence(engine: string, error: unknown, text: string): string {
  return `${engine}: ${(error as Error).message}: ${text.replace(/\s+/g, " ").trim()}`;
}
