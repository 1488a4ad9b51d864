import type { Database } from "bun:sqlite";
import { type ListedAttachment, readAttachmentList } from "./attachment-list.ts";
import { BackupRefused } from "./backup-refused.ts";
import type { Manifest } from "./manifest.ts";
import type { BackupTarget } from "./target.ts";

/** Files under way at once. */
const atOnce = 8;

/**
 * Reads the list of a backup's attachments, calls `each` for every one, and compares the list with the rows of the
 * database: the same ids, each with the digest and the size that its row says unless the manifest tells of a difference.
 */
export async function compareAttachments(
  { target, manifest, db }: { target: BackupTarget; manifest: Manifest; db: Database },
  each: (listed: ListedAttachment) => Promise<void>,
  progress: (files: number) => void,
): Promise<void> {
  const { attachments, id } = manifest;
  const find = db.prepare<{ sha256: string | null; size: number | null }, [string]>(
    "select sha256, size from attachment where id = ?1 and state <> 'missing'",
  );
  const counts = { listed: 0, files: 0, bytes: 0, missing: 0, differing: 0 };
  const take = async (some: readonly ListedAttachment[]) => {
    for (const listed of some) {
      const [row] = find.all(listed.id);
      if (!row) throw new BackupRefused(`the backup ${id} lists an attachment without a row; use another backup`);
      counts.listed++;
      if (!listed.object) counts.missing++;
      else {
        counts.files++;
        counts.bytes += listed.object.bytes;
        if (row.sha256 !== null && row.sha256 !== listed.object.sha256) counts.differing++;
      }
    }
    await Promise.all(some.map(each));
    progress(counts.listed);
  };
  try {
    let waiting: ListedAttachment[] = [];
    for await (const listed of readAttachmentList(target, attachments.list)) {
      if (waiting.push(listed) < atOnce) continue;
      await take(waiting);
      waiting = [];
    }
    await take(waiting);
  } finally {
    find.finalize();
  }
  const [rows] = db
    .query<{ count: number }, []>("select count(*) as count from attachment where state <> 'missing'")
    .all();
  const same = (["files", "bytes", "missing", "differing"] as const).every(
    (name) => counts[name] === attachments[name],
  );
  if (!same || rows?.count !== counts.listed) {
    throw new BackupRefused(`the backup ${id} does not list the attachments of its database; use another backup`);
  }
}
