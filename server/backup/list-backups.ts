import { BackupRefused } from "./backup-refused.ts";
import { failureOfBackup } from "./failure-of-backup.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import type { BackupTarget } from "./target.ts";

export interface ListedBackup {
  id: string;
  asOf: string;
  intake: string;
  schema: number;
  tickets: number;
  reports: number;
  attachments: number;
  /** Of the database and all attachments. */
  bytes: number;
  /** What this backup has added to the target. */
  addedBytes: number;
  secretKey: boolean;
}

/** All backups of a target, newest first, and why others cannot be read. */
export async function listBackups(target: BackupTarget): Promise<{ backups: ListedBackup[]; unreadable: string[] }> {
  try {
    const [backups, unreadable]: [ListedBackup[], string[]] = [[], []];
    for (const id of (await target.ids()).reverse()) {
      try {
        const text = await target.manifest(id);
        if (text !== undefined) backups.push(listedBackup(readManifest(id, text)));
      } catch (error) {
        if (!(error instanceof BackupRefused)) throw error;
        unreadable.push(error.message);
      }
    }
    return { backups, unreadable };
  } catch (error) {
    throw failureOfBackup(error, target.words);
  }
}

export function listedBackup(manifest: Manifest): ListedBackup {
  const { id, asOf, intake, schema, holds, database, attachments, secretKey, added } = manifest;
  return {
    id,
    asOf,
    intake,
    schema,
    tickets: holds.tickets,
    reports: holds.reports,
    attachments: attachments.files,
    bytes: database.bytes + attachments.bytes,
    addedBytes: added.bytes,
    secretKey: secretKey !== null,
  };
}
