import { keyPath } from "../../core/open-sealing.ts";
import { settings } from "../../core/settings.ts";
import type { Reader, Row, Sql, Value } from "../../core/store.ts";
import { freeSpace } from "../../store/free-space.ts";
import { databasePath, migrationStatus } from "../../store/migrate.ts";
import type { Migration } from "../../store/migrations/index.ts";
import { openDatabase } from "../../store/open-database.ts";
import { readHolder } from "../lock.ts";
import { attachmentsInFolder } from "./attachments.ts";
import { examineBackups } from "./backups.ts";
import { forecast, roomy, syncTimes } from "./disk.ts";
import { environment } from "./environment.ts";
import { examineInstallation } from "./examine-installation.ts";
import { bad, counted, type Finding, good, look } from "./finding.ts";
import { versionFaults } from "./known-faults.ts";
import { owner, permissions } from "./permissions.ts";
import { openFiles, versions } from "./running-server.ts";
import { settingOf } from "./setting-of.ts";

/** The first SQLite without the bug that could corrupt a database when the log starts over. */
const soundSqlite = [3, 51, 3] as const;

/** Looks at a data directory without changing what is in it; safe beside a live server. */
export async function examine(folder: string, sqlite: string, known: readonly Migration[]): Promise<Finding[]> {
  const schemaFinding = await look("schema", () => schema(folder, known), "schema_old");
  const holder = readHolder(folder);
  return [
    await look("version", () => versions(holder, `SQLite ${sqlite}`)),
    await look("known faults", () => versionFaults(holder)),
    await look("permissions", () => permissions(folder, databasePath(folder)), "folder_unusable"),
    await look("owner", () => owner(folder)),
    await look("free space", () => roomy(folder)),
    await look("disk", () => syncTimes(folder)),
    await look("open files", () => openFiles(holder)),
    await look("sqlite", () => sqliteIsSound(sqlite)),
    schemaFinding,
    await look("integrity", () => integrity(folder), "database_damaged"),
    await look("foreign keys", () => foreignKeys(folder), "database_damaged"),
    // The remaining checks read tables and columns that exist only in this version's schema.
    ...(schemaFinding.ok
      ? await withReader(folder, async (reader) => [
          await look("free space: forecast", async () => {
            const retentionDays = await settingOf(reader, "retention_days", settings.retention_days.default);
            return forecast(reader, { ...freeSpace(folder), now: Date.now(), retentionDays });
          }),
          await look("attachments", () => attachmentsInFolder(folder, reader)),
          ...(await examineBackups({ reader, folder, holder, now: Date.now() })),
          ...(await examineInstallation({ reader, keyPath: keyPath(folder), holder, now: Date.now() })),
        ])
      : []),
    await look("environment", environment),
  ];
}

function sqliteIsSound(sqlite: string) {
  const numbers = sqlite.split(".").map(Number);
  const different = soundSqlite.findIndex((number, i) => numbers[i] !== number);
  const sound = different < 0 || (numbers[different] ?? 0) > (soundSqlite[different] ?? 0);
  if (sound) return good(`SQLite ${sqlite}; do not open the live database with an older one`);
  return bad("sqlite_old", `SQLite ${sqlite} is older than ${soundSqlite.join(".")}`);
}

function schema(folder: string, known: readonly Migration[]) {
  const { current, upgrade } = migrationStatus(folder, known);
  return upgrade ? bad("schema_old", upgrade.state, `${upgrade.forward} ${upgrade.back}`) : good(`schema ${current}`);
}

function integrity(folder: string) {
  const [first] = rows<{ integrity_check: string }>(folder, "pragma integrity_check(1)");
  if (first?.integrity_check === "ok") return good("every page and index is sound");
  return bad("database_damaged", "the database is damaged");
}

function foreignKeys(folder: string) {
  const broken = rows(folder, "pragma foreign_key_check").length;
  if (broken === 0) return good("every reference leads somewhere");
  return bad("references_broken", counted(broken, "reference leads nowhere", "references lead nowhere"));
}

function rows<R>(folder: string, sql: string): R[] {
  const db = openDatabase(databasePath(folder), { readonly: true });
  try {
    return db.query<R, []>(sql).all();
  } finally {
    db.close();
  }
}

/** Gives work a connection that cannot write. */
export async function withReader<T>(folder: string, work: (reader: Reader) => Promise<T>): Promise<T> {
  const db = openDatabase(databasePath(folder), { readonly: true });
  const all = async <R extends Row>(sql: Sql, params: readonly Value[] = []) =>
    db.query<R, Value[]>(typeof sql === "string" ? sql : sql.sqlite).all(...params);
  try {
    return await work({
      engine: "sqlite",
      all,
      one: async <R extends Row>(sql: Sql, params: readonly Value[] = []) => (await all<R>(sql, params))[0],
    });
  } finally {
    db.close();
  }
}
