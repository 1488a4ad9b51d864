import type { Database } from "bun:sqlite";
import { fsyncSync, ftruncateSync, readSync } from "node:fs";
import { open } from "node:fs/promises";
import { brokenReferences } from "../store/broken-references.ts";
import { openDatabase } from "../store/open-database.ts";
import { BackupRefused } from "./backup-refused.ts";
import type { Manifest } from "./manifest.ts";
import { readPiece } from "./read-object.ts";
import { digestOf } from "./stored-object.ts";
import type { BackupTarget } from "./target.ts";

/** Writes the database of a backup. Pieces that an earlier run has written are kept. */
export async function writeDatabase(
  target: BackupTarget,
  { database }: Manifest,
  path: string,
  progress: (share: number) => void,
): Promise<void> {
  const file = await open(path, "a+", 0o600).then(async (made) => {
    await made.close();
    return open(path, "r+");
  });
  try {
    let at = 0;
    for (const piece of database.pieces) {
      const there = Buffer.alloc(piece.bytes);
      const read = readSync(file.fd, there, 0, piece.bytes, at);
      if (read !== piece.bytes || digestOf(there) !== piece.sha256) {
        const bytes = await readPiece(target, piece);
        for (let written = 0; written < bytes.length; ) {
          written += (await file.write(bytes, written, bytes.length - written, at + written)).bytesWritten;
        }
      }
      at += piece.bytes;
      progress(at / database.bytes);
    }
    ftruncateSync(file.fd, at);
    fsyncSync(file.fd);
  } finally {
    await file.close();
  }
}

/**
 * Opens the database of a backup once every page, index and reference of it was found sound. Segments of the log may have
 * changed its schema, which is undefined then.
 */
export function openSoundDatabase(
  { id, schema }: Pick<Manifest, "id"> & { schema: number | undefined },
  path: string,
): Database {
  const db = openDatabase(path, { readonly: true });
  try {
    const [answer] = db.query<{ integrity_check: string }, []>("pragma integrity_check(1)").all();
    if (answer?.integrity_check !== "ok") {
      throw new BackupRefused(`the database in the backup ${id} is damaged; use another backup`);
    }
    const broken = brokenReferences(db);
    if (broken) {
      throw new BackupRefused(
        `in the database of the backup ${id}, references are broken: ${broken.words}; use another backup`,
      );
    }
    const [found] = db.query<{ number: number }, []>("select max(number) as number from migration").all();
    if (schema !== undefined && found?.number !== schema)
      throw new BackupRefused(`the backup ${id} does not have the schema that it names`);
    return db;
  } catch (error) {
    db.close();
    const { code = "" } = error as { code?: string };
    if (!/^SQLITE_(CORRUPT|NOTADB|ERROR)/.test(code)) throw error;
    throw new BackupRefused(`the database in the backup ${id} is damaged; use another backup`, { cause: error });
  }
}
