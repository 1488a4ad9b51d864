import { Database } from "bun:sqlite";

/** Opens the database with the settings of every connection; `busy_timeout` has to come first. */
export function openDatabase(path: string, { readonly = false, busyMs = 5_000, autocheckpoint = 0 } = {}): Database {
  const db = new Database(path, readonly ? { readonly: true, strict: true } : { create: true, strict: true });
  db.run(`pragma busy_timeout = ${busyMs}`);
  if (!readonly) db.run("pragma journal_mode = wal");
  for (const pragma of [
    "synchronous = full",
    "foreign_keys = on",
    "trusted_schema = off",
    "cell_size_check = on",
    "temp_store = memory",
    `wal_autocheckpoint = ${autocheckpoint}`,
    `journal_size_limit = ${64 * 1024 * 1024}`,
    // A reader drops its cached pages whenever another connection commits.
    `cache_size = ${readonly ? -1_024 : -16_384}`,
  ]) {
    db.run(`pragma ${pragma}`);
  }
  return db;
}
