import { BackupRefused } from "./backup-refused.ts";
import { failureOfBackup } from "./failure-of-backup.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import type { BackupTarget } from "./target.ts";

/** The manifest of a backup, the newest one without an id. */
export async function findBackup(target: BackupTarget, id: string | undefined): Promise<Manifest> {
  try {
    const ids = await target.ids();
    const wanted = id ?? ids.at(-1);
    if (wanted === undefined) throw new BackupRefused(`there is no backup in ${target.words}`);
    const text = ids.includes(wanted) ? await target.manifest(wanted) : undefined;
    if (text === undefined) {
      throw new BackupRefused(`there is no backup ${wanted} in ${target.words}; see intake backup list`);
    }
    return readManifest(wanted, text);
  } catch (error) {
    throw failureOfBackup(error, target.words);
  }
}
