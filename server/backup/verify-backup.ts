import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { Sealing } from "../core/sealing.ts";
import { freeSpace } from "../store/free-space.ts";
import { applySegments, eachAttachment, KnownAttachments } from "./apply-segments.ts";
import { BackupRefused } from "./backup-refused.ts";
import { compareAttachments } from "./compare-attachments.ts";
import { openSoundDatabase, writeDatabase } from "./database-from-pieces.ts";
import { failureOfBackup } from "./failure-of-backup.ts";
import { segmentsAfter } from "./find-moment.ts";
import type { Manifest } from "./manifest.ts";
import { ObjectDamaged, readObject, readPiece } from "./read-object.ts";
import { withScratchFolder } from "./scratch-folder.ts";
import type { StoredObject } from "./stored-object.ts";
import type { BackupOutput, BackupTarget } from "./target.ts";

/** Damaged objects that are named at most. */
const namedMax = 5;

/**
 * Reads everything of a backup back: each object and its digest, every page, index and reference of the database, the
 * object of each attachment's row, whether the sealing key is the database's, and the segments of the log that follow.
 * Throws when anything is not sound.
 */
export async function verifyBackup(
  { target, manifest, scratch }: { target: BackupTarget; manifest: Manifest; scratch: string },
  out: BackupOutput,
): Promise<void> {
  try {
    await withScratchFolder(scratch, "verify", async (folder) => {
      requireRoom(folder, manifest.database.bytes);
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
      await verifySegments({ target, manifest, folder }, out);
    });
  } catch (error) {
    throw failureOfBackup(error, `${target.words} or ${scratch}`);
  }
}

/** Applies the segments that follow the backup, and looks at what they make of its database and at their files. */
async function verifySegments(
  { target, manifest, folder }: { target: BackupTarget; manifest: Manifest; folder: string },
  out: BackupOutput,
): Promise<void> {
  const { log } = manifest;
  if (!log) return;
  const segments = await segmentsAfter(target, { ...manifest, log });
  if (segments.length === 0) return;
  const brought = new Map<string, StoredObject>();
  const known = new KnownAttachments(`${folder}/known.db`);
  try {
    await known.addAllOf(target, manifest.attachments.list);
    const path = `${folder}/intake.db`;
    for (const end of ["-wal", "-shm"]) rmSync(path + end, { force: true });
    const progress = (done: number) => out.progress(`segments of the log: ${done} of ${segments.length}`);
    await applySegments(target, { segments }, path, {
      attachments: {
        add(some) {
          known.add(some);
          for (const { object } of some) if (object) brought.set(object.sha256, object);
        },
      },
      progress,
    });
    // The objects of the backup itself were read before.
    for (const object of brought.values()) for await (const _ of readObject(target, object));
    const db = openSoundDatabase({ id: manifest.id, schema: undefined }, path);
    try {
      await eachAttachment(
        db,
        known,
        async () => {},
        () => {},
      );
    } finally {
      db.close();
    }
  } finally {
    known.close();
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

/** Throws unless there is room for a database beside what a server may keep free on the disk. */
function requireRoom(folder: string, needed: number) {
  const { bytes, keptFree } = freeSpace(folder);
  if (bytes >= needed + keptFree) return;
  throw new BackupRefused(
    `${dirname(folder)} has too little room for the database of the backup (${Math.ceil(needed / 1e6)} MB); name another folder with --scratch`,
  );
}
