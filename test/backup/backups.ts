import { Database } from "bun:sqlite";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { DataLock } from "../../server/app/lock.ts";
import { createBackup } from "../../server/backup/create-backup.ts";
import { findBackup } from "../../server/backup/find-backup.ts";
import { restoreBackup } from "../../server/backup/restore-backup.ts";
import type { BackupTarget } from "../../server/backup/target.ts";
import { verifyBackup } from "../../server/backup/verify-backup.ts";
import { databasePath } from "../../server/store/migrate.ts";
import { migrations } from "../../server/store/migrations/index.ts";

const out = { note: () => {}, progress: () => {} };

export function create(folder: string, target: BackupTarget, { secrets = true } = {}) {
  return createBackup({ folder, target, secrets, out });
}

export async function verify(target: BackupTarget, scratch: string, id?: string): Promise<void> {
  await verifyBackup({ target, manifest: await findBackup(target, id), scratch }, out);
}

export function restore(
  target: BackupTarget,
  folder: string,
  more: { id?: string; at?: number; secretKey?: string } = {},
) {
  return restoreBackup({
    target,
    folder,
    id: more.id,
    at: more.at,
    secretKey: more.secretKey,
    schema: migrations.at(-1)?.number ?? 0,
    lock: (path) => new DataLock(path, "restore"),
    out,
  });
}

/** Digests of everything that an installation stores: each table of the database, each attachment, the key. */
export function contentsOf(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  const db = new Database(databasePath(folder), { readonly: true });
  const tables = db
    .query<{ name: string; wr: number }, []>(
      "select name, wr from pragma_table_list where schema = 'main' and type in ('table', 'shadow')",
    )
    .all();
  for (const { name } of tables) {
    // What is noted of a backup is stored when it has ended.
    if (name === "backup_try") continue;
    const digest = new Bun.CryptoHasher("sha256");
    for (const row of db.query(`select * from "${name}"`).values()) digest.update(JSON.stringify(row.map(plain)));
    found[`table ${name}`] = digest.digest("hex");
  }
  db.close();
  for (const path of filesIn(folder)) {
    if (!/^(attachments\/|secret\.key$)/.test(path)) continue;
    found[path] = Bun.SHA256.hash(readFileSync(`${folder}/${path}`), "hex");
  }
  return found;
}

function plain(value: unknown): unknown {
  return value instanceof Uint8Array ? value.toHex() : value;
}

/** The paths of all files below a folder. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((path) => !lstatSync(`${folder}/${path}`).isDirectory())
    .sort();
}
