import { Database } from "bun:sqlite";
import { closeSync, fsyncSync, ftruncateSync, openSync, writeSync } from "node:fs";
import type { SpooledLog } from "../store/spool-file.ts";
import { type ListedAttachment, readAttachmentList } from "./attachment-list.ts";
import { BackupRefused } from "./backup-refused.ts";
import type { Moment } from "./find-moment.ts";
import { readSegment, SegmentDamaged } from "./segment.ts";
import type { BackupTarget } from "./target.ts";

/** Two servers on copies of one data directory go on with the same chain, and a list of names does not tell them apart. */
const foreign = "does not begin where the one before it ends: another server has shipped to the same place";

/**
 * Writes the pages of all segments to the file of the backup's database, which nobody has open. Beginning again after a
 * kill is the same. `attachments` receives what the segments bring.
 */
export async function applySegments(
  target: BackupTarget,
  { segments }: Pick<Moment, "segments">,
  path: string,
  { attachments, progress }: { attachments: Pick<KnownAttachments, "add">; progress: (done: number) => void },
): Promise<void> {
  const file = openSync(path, "r+");
  try {
    let bytes: number | undefined;
    let place: SpooledLog | undefined;
    for (const [i, segment] of segments.entries()) {
      const head = await readSegment(target, segment, (numbers, images, { pageBytes }) => {
        for (const [k, page] of numbers.entries()) {
          const image = images.subarray(k * pageBytes, (k + 1) * pageBytes);
          for (let at = 0; at < pageBytes; ) {
            at += writeSync(file, image, at, pageBytes - at, (page - 1) * pageBytes + at);
          }
        }
      });
      if (place && head.from && !Bun.deepEquals(place, head.from)) throw new SegmentDamaged(target, segment, foreign);
      place = head.logs.at(-1);
      attachments.add(head.attachments.map(({ id, object }) => ({ id, object: object ?? undefined })));
      bytes = head.size * head.pageBytes;
      progress(i + 1);
    }
    if (bytes !== undefined) ftruncateSync(file, bytes);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The objects of attachments by their ids, in a file: there may be many millions. */
export class KnownAttachments {
  readonly #db: Database;

  constructor(path: string) {
    this.#db = new Database(path, { create: true, strict: true });
    this.#db.run("pragma journal_mode = off");
    this.#db.run("pragma synchronous = off");
    this.#db.run("create table known (id text primary key, sha256 text, bytes integer) strict, without rowid");
  }

  async addAllOf(target: BackupTarget, list: Parameters<typeof readAttachmentList>[1]): Promise<void> {
    let some: ListedAttachment[] = [];
    for await (const listed of readAttachmentList(target, list)) {
      if (some.push(listed) < 10_000) continue;
      this.add(some);
      some = [];
    }
    this.add(some);
  }

  /** What is known of an attachment already stays, unless it was known without a file. */
  add(some: readonly ListedAttachment[]) {
    if (some.length === 0) return;
    const insert = this.#db.query(
      `insert into known (id, sha256, bytes) values (?1, ?2, ?3)
       on conflict (id) do update set sha256 = excluded.sha256, bytes = excluded.bytes where known.sha256 is null`,
    );
    this.#db.transaction(() => {
      for (const { id, object } of some) insert.run(id, object?.sha256 ?? null, object?.bytes ?? null);
    })();
  }

  find(id: string): ListedAttachment | undefined {
    const [row] = this.#db
      .query<{ sha256: string | null; bytes: number | null }, [string]>("select sha256, bytes from known where id = ?1")
      .all(id);
    if (!row) return undefined;
    return { id, object: row.sha256 === null ? undefined : { sha256: row.sha256, bytes: row.bytes ?? 0 } };
  }

  close() {
    this.#db.close();
  }
}

/** Files under way at once. */
const atOnce = 8;

/**
 * Calls `each` for the attachment of every row, with what the backup and the segments know of it. Returns how many have
 * a file, and how many have none because it was deleted before it could be copied.
 */
export async function eachAttachment(
  db: Database,
  known: KnownAttachments,
  each: (listed: ListedAttachment) => Promise<void>,
  progress: (done: number) => void,
): Promise<{ files: number; missing: number }> {
  const counts = { files: 0, missing: 0 };
  const statement = db.prepare<{ id: string }, []>("select id from attachment where state <> 'missing'");
  try {
    let waiting: Promise<void>[] = [];
    for (const { id } of statement.iterate()) {
      const listed = known.find(id);
      if (!listed) {
        throw new BackupRefused(
          `neither the backup nor the log has the file of the attachment ${id}; restore a backup`,
        );
      }
      if (listed.object) counts.files++;
      else counts.missing++;
      if (waiting.push(each(listed)) < atOnce) continue;
      await Promise.all(waiting);
      waiting = [];
      progress(counts.files + counts.missing);
    }
    await Promise.all(waiting);
  } finally {
    statement.finalize();
  }
  return counts;
}
