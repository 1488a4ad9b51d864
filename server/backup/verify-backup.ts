import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { Sealing } from "../core/sealing.ts";
import { BackupRefused } from "./backup-refused.ts";
import { compareAttachments } from "./compare-attachments.ts";
import { openSoundDatabase, writeDatabase } from "./database-from-pieces.ts";
import { failureOfBackup } from "./failure-of-backup.ts";
import type { Manifest } from "./manifest.ts";
import { ObjectDamaged, readObject, readPiece } from "./read-object.ts";
import type { BackupOutput, BackupTarget } from "./target.ts";

/** Damaged objects that are named at most. */
const namedMax = 5;

/**
 * Reads everything of a backup back: each object and its digest, every page, index and reference of the database, the
 * object of each attachment's row, and whether the sealing key is the database's. Throws when anything is not sound.
 */
export async function verifyBackup(
  { target, manifest, scratch }: { target: BackupTarget; manifest: Manifest; scratch: string },
  out: BackupOutput,
): Promise<void> {
  let folder: string | undefined;
  try {
    requireRoom(scratch, manifest.database.bytes);
    folder = mkdtempSync(join(scratch, "intake-verify-"));
    endWith(folder);
    const path = `${folder}/intake.db`;
    await writeDatabase(target, manifest, path, (share) => out.progress(`database: ${Math.floor(share * 100)} %`));
    out.progress("database: checking every page");
    const db = openSoundDatabase(manifest, path);
    try {
      await verifyAttachments({ target, manifest, db }, out);
      const [sealed] = db.query<{ fingerprint: string }, []>("select fingerprint from sealing limit 1").all();
      if (manifest.secretKey) {
        requireKey(manifest, await readPiece(target, manifest.secretKey), sealed?.fingerprint);
      }
    } finally {
      db.close();
    }
  } catch (error) {
    throw failureOfBackup(error, `${target.words} or ${scratch}`);
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

async function verifyAttachments(tools: Parameters<typeof compareAttachments>[0], out: BackupOutput): Promise<void> {
  const { target, manifest } = tools;
  const damaged: ObjectDamaged[] = [];
  let damagedCount = 0;
  // Equal digests follow each other in the list.
  let latest: { sha256: string; read: Promise<void> } | undefined;
  await compareAttachments(
    tools,
    async ({ object }) => {
      if (!object) return;
      if (latest?.sha256 !== object.sha256) latest = { sha256: object.sha256, read: readAll() };
      return latest.read;

      async function readAll() {
        try {
          for await (const _ of readObject(target, object as NonNullable<typeof object>));
        } catch (error) {
          if (!(error instanceof ObjectDamaged)) throw error;
          damagedCount++;
          if (damaged.length < namedMax) damaged.push(error);
        }
      }
    },
    (files) => out.progress(`attachments: ${files} of ${manifest.attachments.files + manifest.attachments.missing}`),
  );
  const [first] = damaged;
  if (damagedCount <= 1 && first) throw first;
  if (first) {
    const names = damaged.map(({ sha256 }) => sha256).join(", ");
    const more = damagedCount > damaged.length ? ", …" : "";
    throw new BackupRefused(
      `${damagedCount} objects of the backup ${manifest.id} are missing or damaged: ${names}${more}. ${first.remedy}`,
    );
  }
}

/** The key itself is written nowhere. */
function requireKey({ id }: Manifest, bytes: Buffer, sealedWith: string | undefined) {
  const text = bytes.toString("latin1").trim();
  const whole = /^[0-9a-f]{64}$/.test(text);
  if (whole && (sealedWith === undefined || new Sealing(Uint8Array.fromHex(text)).fingerprint === sealedWith)) return;
  throw new BackupRefused(
    `secret.key in the backup ${id} is another key than the one that secrets of subscribers are sealed with; use another backup, or restore it with the right one in --secret-key`,
  );
}

/** Removes the folder, which holds a whole database, also when a signal ends the command. */
function endWith(folder: string) {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      rmSync(folder, { recursive: true, force: true });
      process.exit(1);
    });
  }
}

function requireRoom(folder: string, needed: number) {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize >= needed) return;
  throw new BackupRefused(
    `${folder} has too little room for the database of the backup (${Math.ceil(needed / 1e6)} MB); name another folder with --scratch`,
  );
}
