import type { Database } from "bun:sqlite";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { version } from "../../package.json";
import { lockFile } from "../core/lock-file.ts";
import { keyPath, readSealing } from "../core/open-sealing.ts";
import { attachmentPath } from "../store/local-files.ts";
import { databasePath } from "../store/migrate.ts";
import { openDatabase } from "../store/open-database.ts";
import { spooledUpTo } from "../store/spool-folder.ts";
import { AttachmentListWriter, type ListedAttachment } from "./attachment-list.ts";
import { BackupRefused } from "./backup-refused.ts";
import { copyDatabase, type DatabaseCopy, removeCopy } from "./copy-database.ts";
import { failureOfBackup } from "./failure-of-backup.ts";
import { KnownObjects } from "./known-objects.ts";
import { type ListedBackup, listedBackup } from "./list-backups.ts";
import { type Manifest, manifestFormat, newBackupId, writeManifest } from "./manifest.ts";
import { storeFile } from "./store-file.ts";
import { digestOf, pieceBytes, type StoredObject } from "./stored-object.ts";
import type { BackupOutput, BackupTarget, ObjectSource, TargetLock } from "./target.ts";

interface Input {
  /** The data directory. A server may run on it. */
  folder: string;
  target: BackupTarget;
  secrets: boolean;
  out: BackupOutput;
}

export interface CreatedBackup extends ListedBackup {
  attachmentsMissing: number;
  attachmentsDiffering: number;
  /** Some ids of attachments whose files were missing, or differed from their row. */
  missing: string[];
  differing: string[];
}

/** Snapshots of the database that are taken at most, because attachments of the one before were deleted meanwhile. */
const snapshotsMax = 20;

/** Makes a backup beside a running server. Until its manifest is written, nothing in the target looks like one. */
export async function createBackup(input: Input): Promise<CreatedBackup> {
  const { folder, target } = input;
  let lock: TargetLock | undefined;
  let scratch: Scratch | undefined;
  try {
    lock = await target.lock();
    scratch = target.scratch === undefined ? scratchIn(folder) : { path: target.scratch, release: () => {} };
    return await new BackupRun(input, lock, `${scratch.path}/${copyName}`).make();
  } catch (error) {
    throw failureOfBackup(error, target.words);
  } finally {
    if (scratch) discardCopy(`${scratch.path}/${copyName}`);
    scratch?.release();
    await lock?.release();
  }
}

const copyName = "snapshot.db";

/** A copy that cannot be removed goes with the next run: the failure that led here is the one to tell. */
function discardCopy(path: string) {
  try {
    removeCopy(path);
  } catch {}
}

interface Scratch {
  path: string;
  release(): void;
}

/** A folder of the data directory for the copy of its database, where the target has none on this machine. */
function scratchIn(folder: string): Scratch {
  const path = `${folder}/backups/unfinished`;
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const taken = () => new BackupRefused("another run of intake backup copies this database; wait until it has ended");
  return { path, ...lockFile(`${path}/lock.db`, taken) };
}

class BackupRun {
  readonly #input: Input;
  readonly #lock: TargetLock;
  readonly #path: string;
  readonly #known: KnownObjects;
  readonly #added = { objects: 0, bytes: 0 };
  /** Objects that are being stored, by their digests: several attachments may have the same bytes. */
  readonly #adding = new Map<string, Promise<void>>();
  /** Whether the target has no backup yet: then hardly any object is there, and none is asked for. */
  #first = false;

  constructor(input: Input, lock: TargetLock, path: string) {
    this.#input = input;
    this.#lock = lock;
    this.#path = path;
    this.#known = new KnownObjects(input.target);
  }

  async make(): Promise<CreatedBackup> {
    const { target, secrets, out } = this.#input;
    this.#first = (await target.ids()).length === 0;
    for (let taken = 0; taken < snapshotsMax; taken++) {
      const copy = await this.#snapshot();
      const db = openDatabase(copy.path, { readonly: true });
      try {
        const secretKey = secrets ? await this.#secretKey(db) : null;
        const attachments = await this.#attachments(db);
        if (attachments === "deleted meanwhile") {
          out.note("attachments were deleted while they were copied: taking the database again");
          continue;
        }
        const { pieces, missing, differing, counts } = attachments;
        const manifest: Manifest = {
          format: manifestFormat,
          id: newBackupId(copy.asOf),
          asOf: new Date(copy.asOf).toISOString(),
          intake: version,
          ...contentsOf(db),
          database: { bytes: copy.bytes, pieces: await this.#pieces(copy) },
          attachments: { ...counts, list: pieces },
          secretKey,
          added: this.#added,
          ...(copy.chain ? { log: { ...copy.chain, ...copy.log } } : {}),
        };
        await this.#lock.require();
        await target.addManifest(manifest.id, writeManifest(manifest));
        return {
          ...listedBackup(manifest),
          attachmentsMissing: counts.missing,
          attachmentsDiffering: counts.differing,
          missing,
          differing,
        };
      } finally {
        db.close();
      }
    }
    throw new BackupRefused(
      "attachments were deleted faster than they could be copied, so no backup was made; run the same command again",
    );
  }

  async #snapshot(): Promise<DatabaseCopy & { chain: ReturnType<typeof spooledUpTo> }> {
    const { folder, out } = this.#input;
    try {
      const before = spooledUpTo(folder);
      const copy = await copyDatabase(folder, this.#path, (share) => {
        out.progress(`database: ${Math.floor(share * 100)} %`);
      });
      return { ...copy, chain: before?.chain === spooledUpTo(folder)?.chain ? before : undefined };
    } catch (error) {
      throw failureOfBackup(error, dirname(this.#path));
    }
  }

  /** The sealing key, unless nothing was ever sealed. */
  async #secretKey(db: Database): Promise<StoredObject | null> {
    const path = keyPath(this.#input.folder);
    const [sealed] = db.query<{ fingerprint: string }, []>("select fingerprint from sealing limit 1").all();
    if (!sealed && !existsSync(path)) return null;
    readSealing(path, sealed?.fingerprint);
    return this.#store(new Uint8Array(readFileSync(path)));
  }

  /** Copies the files of all attachments that the target does not have. */
  async #attachments(db: Database) {
    const counts = { files: 0, bytes: 0, missing: 0, differing: 0 };
    const [missing, differing]: [string[], string[]] = [[], []];
    const list = new AttachmentListWriter((piece, bytes) => this.#add(piece, bytes));
    const { total } = one<{ total: number }>(db, `select count(*) as total from attachment where ${kept}`);
    for await (const rows of attachmentRows(db)) {
      const listed = await Promise.all(rows.map((row) => this.#attachment(row)));
      for (const [i, found] of listed.entries()) {
        if (found === "deleted") return "deleted meanwhile" as const;
        const { id, sha256 } = rows[i] as AttachmentRow;
        await list.add(found);
        if (!found.object) {
          counts.missing++;
          if (missing.length < examples) missing.push(id);
          continue;
        }
        counts.files++;
        counts.bytes += found.object.bytes;
        if (sha256 === null || sha256 === found.object.sha256) continue;
        counts.differing++;
        if (differing.length < examples) differing.push(id);
      }
      this.#input.out.progress(`attachments: ${counts.files + counts.missing} of ${total}`);
    }
    await list.end();
    return { pieces: list.pieces, counts, missing, differing };
  }

  async #attachment({ id, sha256, size }: AttachmentRow): Promise<ListedAttachment | "deleted"> {
    const known = sha256 === null ? undefined : await this.#known.find(sha256);
    if (known !== undefined && (size === null || known.bytes === size)) return { id, object: known };
    const path = attachmentPath(this.#input.folder, id);
    try {
      // The target was looked at for a digest that is known, and does not have it.
      const absent = sha256 !== null;
      return { id, object: await storeFile(path, (object, source) => this.#add(object, source, { absent })) };
    } catch (error) {
      if ((error as { code?: string; path?: string }).code !== "ENOENT" || existsSync(path)) throw error;
      return this.#isStored(id) ? { id, object: undefined } : "deleted";
    }
  }

  /** Whether the server's database still has the row: the server deletes the row of an attachment before its file. */
  #isStored(id: string): boolean {
    const db = openDatabase(databasePath(this.#input.folder), { readonly: true });
    try {
      return db.query("select 1 from attachment where id = ?1").all(id).length > 0;
    } finally {
      db.close();
    }
  }

  async #pieces({ path, bytes }: DatabaseCopy): Promise<StoredObject[]> {
    const pieces: StoredObject[] = [];
    const file = await open(path, "r");
    try {
      for (let at = 0; at < bytes; ) {
        const piece = new Uint8Array(Math.min(pieceBytes, bytes - at));
        const { bytesRead } = await file.read(piece, 0, piece.length, at);
        if (bytesRead !== piece.length) throw new BackupRefused("the copy of the database was cut; run it again");
        pieces.push(await this.#store(piece));
        at += piece.length;
        this.#input.out.progress(`storing the database: ${Math.floor((at / bytes) * 100)} %`);
      }
    } finally {
      await file.close();
    }
    return pieces;
  }

  async #store(bytes: Uint8Array<ArrayBuffer>, { absent = false } = {}): Promise<StoredObject> {
    const object = { sha256: digestOf(bytes), bytes: bytes.length };
    await this.#add(object, bytes, { absent });
    return object;
  }

  /** Stores an object unless the target has it. It is not asked for where it is likely `absent`: storing it finds out too. */
  async #add(object: StoredObject, source: ObjectSource, { absent = false } = {}): Promise<void> {
    const { sha256 } = object;
    const adding = this.#adding.get(sha256) ?? this.#addOnce(object, source, absent || this.#first);
    this.#adding.set(sha256, adding);
    try {
      await adding;
    } finally {
      this.#adding.delete(sha256);
    }
  }

  async #addOnce(object: StoredObject, source: ObjectSource, absent: boolean): Promise<void> {
    const { target } = this.#input;
    if (!absent && (await target.sizeOf(object.sha256)) === object.bytes) return;
    if (await target.put(object, source)) {
      this.#added.objects++;
      this.#added.bytes += object.bytes;
    }
    await this.#known.stored(object);
  }
}

interface AttachmentRow {
  id: string;
  sha256: string | null;
  size: number | null;
}

const kept = "state <> 'missing'";
/** Files under way at once. Those of more than 4 MiB are not held in memory. */
const atOnce = 4;
/** Ids that are told at most. */
const examples = 5;

/** The rows of attachments in the order of their digests, which is that of the target's objects. */
async function* attachmentRows(db: Database): AsyncGenerator<AttachmentRow[]> {
  // SQLite sorts a sixteenth of them at a time, in memory.
  const parts = ["sha256 is null", ...[..."0123456789abcdef"].map((digit) => `substr(sha256, 1, 1) = '${digit}'`)];
  for (const part of parts) {
    const statement = db.prepare<AttachmentRow, []>(
      `select id, sha256, size from attachment where ${kept} and ${part} order by sha256, id`,
    );
    try {
      let rows: AttachmentRow[] = [];
      for (const row of statement.iterate()) {
        if (rows.push(row) < atOnce) continue;
        yield rows;
        rows = [];
      }
      if (rows.length > 0) yield rows;
    } finally {
      statement.finalize();
    }
  }
}

function contentsOf(db: Database): Pick<Manifest, "schema" | "holds"> {
  return {
    schema: one<{ number: number }>(db, "select max(number) as number from migration").number,
    holds: one(
      db,
      `select (select count(*) from ticket) as tickets, (select count(*) from event) as reports,
         (select max(id) from ticket) as newestTicket, (select max(id) from event) as newestReport`,
    ),
  };
}

function one<Row>(db: Database, sql: string): Row {
  return db.query<Row, []>(sql).all()[0] as Row;
}
