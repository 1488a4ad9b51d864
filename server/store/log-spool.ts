import type { Database } from "bun:sqlite";
import { mkdirSync, rmSync } from "node:fs";
import { addAttachmentIds } from "./attachment-ids.ts";
import { LogPin, type PublishedLog } from "./log-pin.ts";
import { openDatabase } from "./open-database.ts";
import { markOf, type SpooledAttachment, type SpooledLog, SpoolWriter } from "./spool-file.ts";
import { spoolName } from "./spool-folder.ts";
import { gapSince, readSpoolEnd } from "./spool-recovery.ts";
import { LogBroken, type LogPosition, startsOver } from "./wal-file.ts";

/** Frames that are read at once (2 MiB): the usual pass of a checkpoint. */
const framesMax = 512;
/** A segment is cut when its frames take this much: the passes of checkpoints are small. */
const cutBytes = 32 * 1024 * 1024;
/** Ids of attachments that are held for one segment. */
const idsMax = 100_000;

/** A segment that is complete in the spool. */
export interface CutSegment {
  chain: string;
  number: number;
  /** Epoch milliseconds: everything that was answered before is in it or in an earlier one. */
  end: number;
}

/**
 * Copies the frames of SQLite's write-ahead log to files in the data directory, as segments of a chain.
 *
 * A {@link LogPin} stands at a place in the log up to which everything was copied, so no frame is ever written over
 * before it was copied, by whichever process, as long as this one runs. What happened while it did not run is found out
 * by {@link LogSpool.open}.
 */
export class LogSpool {
  readonly #path: string;
  readonly #folder: string;
  readonly #pin: LogPin;
  #writer: SpoolWriter;
  #position: LogPosition;
  /** The logs of the segment that is being written. */
  #logs: SpooledLog[];
  #ids = new Set<string>();
  #size = 0;
  #synced = true;
  #cutAt = performance.now();
  chain: string;
  number: number;
  /** Whether the chain of an earlier run goes on; else why it does not, null for the first chain. */
  readonly continued: boolean;
  readonly gap: string | null;

  private constructor(path: string, folder: string, pin: LogPin) {
    this.#path = path;
    this.#folder = folder;
    this.#pin = pin;
    const earlier = readSpoolEnd(folder);
    const gap = earlier && gapSince(earlier, this.#pin, path);
    if (earlier && gap === undefined) {
      this.continued = true;
      this.gap = null;
      [this.chain, this.number] = [earlier.name.chain, earlier.name.number];
      this.#position = earlier.position;
      if (earlier.ended) {
        this.number++;
        this.#logs = [{ salts: this.#position.salts, to: this.#position.frame }];
        this.#writer = this.#begin();
        return;
      }
      if (earlier.stopped) this.#position = { salts: this.#pin.published().salts ?? null, frame: 0, checksum: "" };
      this.#logs = earlier.logs;
      if (earlier.stopped) this.#logs.push({ salts: this.#position.salts, to: 0 });
      this.#ids = earlier.ids;
      this.#size = earlier.size;
      this.#writer = SpoolWriter.reopen(folder, earlier.name.file, earlier.bytes);
      return;
    }
    this.continued = false;
    this.gap = gap ?? null;
    // What it has is a part of ten seconds, and nobody knows up to which moment.
    if (earlier && !earlier.ended) rmSync(`${folder}/${earlier.name.file}`);
    const { salts, log, pageBytes } = this.#pin.published();
    const known = salts !== undefined && log > 0;
    this.#position = {
      salts: salts ?? null,
      frame: log,
      checksum: known ? this.#pin.wal.checksumAt(log, pageBytes) : "",
    };
    this.chain = newChain();
    this.number = 1;
    this.#logs = [{ salts: this.#position.salts, to: this.#position.frame }];
    this.#writer = this.#begin();
  }

  /**
   * Goes on with the chain in the folder when every transaction since its end is certainly in the log, and begins a new
   * one otherwise. `look` is a connection without a transaction.
   */
  static open(path: string, folder: string, look: Database): LogSpool {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const pin = new LogPin(path, look);
    try {
      return new LogSpool(path, folder, pin);
    } catch (error) {
      // A pin that nobody moves would keep the log from ever starting over.
      pin.close();
      throw error;
    }
  }

  /**
   * Copies everything that is published, and then holds the log there. Returns the frames that a checkpoint may surely
   * write back now.
   */
  capture(): number {
    const { log } = this.#pin.published();
    const next = this.#pin.next();
    this.#copy(this.#pin.published());
    // A pin of a log that was written back wholly lets the log start over, so what was copied has to last first. As long
    // as the log cannot, frames are on the disk there: after a power cut the next run reads them from it.
    if (this.#pin.writtenBack() >= log) this.#sync();
    this.#pin.release(next);
    return log;
  }

  /** Whether anything was committed since the last segment. */
  get behind(): boolean {
    if (this.#size > 0) return true;
    const { salts, log } = this.#pin.published();
    return log > 0 && (salts !== this.#position.salts || log > this.#position.frame);
  }

  /** Whether the segment that is being written should end. */
  due(milliseconds: number): boolean {
    return performance.now() - this.#cutAt >= milliseconds || this.#writer.bytes >= cutBytes;
  }

  /**
   * Ends the segment just behind a transaction; undefined when there was none since the last one, or too many came in
   * between for a place to be found.
   */
  cut(): CutSegment | undefined {
    const held = this.#pin.nextExactly();
    if (!held) return undefined;
    const { next, end } = held;
    this.#copy(held.published);
    if (this.#size === 0) {
      this.#pin.release(next);
      this.#cutAt = performance.now();
      return undefined;
    }
    const cut = { chain: this.chain, number: this.number, end };
    const attachments = this.#attachments(next);
    this.#writer.append({ kind: "end", end, size: this.#size, logs: this.#logs, attachments });
    this.#writer.sync();
    this.#synced = true;
    this.#writer.close();
    this.#pin.release(next);
    return cut;
  }

  /** Begins the next segment; to be called after {@link LogSpool.cut} has ended one, whatever becomes of this. */
  begin() {
    this.number++;
    this.#logs = [{ salts: this.#position.salts, to: this.#position.frame }];
    this.#ids.clear();
    this.#size = 0;
    this.#cutAt = performance.now();
    this.#writer = this.#begin();
  }

  /**
   * Ends the last segment and marks the spool as whole, when `pass` has written all of the log back while nobody could
   * commit. The log may be removed then.
   */
  stop(pass: () => { log: number; checkpointed: number } | undefined): CutSegment | undefined {
    let cut: CutSegment | undefined;
    const writer = openDatabase(this.#path, { busyMs: 500 });
    try {
      writer.run("begin immediate");
      cut = this.cut();
      if (cut) this.begin();
      const progress = pass();
      if (progress && progress.log === progress.checkpointed && !this.behind) {
        this.#writer.append({ kind: "stopped", mark: markOf(this.#path) });
        this.#writer.sync();
      }
      writer.run("rollback");
    } finally {
      writer.close();
      this.close();
    }
    return cut;
  }

  /** Lets go of the log without a mark: as after a kill, the next run finds out whether the chain goes on. */
  close() {
    this.#pin.close();
    this.#writer.close();
  }

  /** The file of the segment that is being written. */
  get file(): string {
    return `${this.#folder}/${spoolName(this.chain, this.number)}`;
  }

  #copy({ salts, pageBytes, log }: PublishedLog) {
    // The log has started over, and its first frame is not written yet.
    if (salts === undefined || log === 0) return;
    let begun = false;
    if (salts !== this.#position.salts) {
      const { salts: before } = this.#position;
      if (before !== null && !startsOver(before, salts)) {
        throw new LogBroken("the write-ahead log started over without being copied");
      }
      this.#position = { salts, frame: 0, checksum: "" };
      this.#logs.push({ salts, to: 0 });
      begun = true;
    }
    if (log < this.#position.frame) throw new LogBroken("the write-ahead log has lost frames");
    if (log === this.#position.frame) return;
    while (this.#position.frame < log) {
      const first = this.#position.frame + 1;
      const last = Math.min(log, first + framesMax - 1);
      const { pages, images, checksum, size } = this.#pin.wal.frames({ first, last }, salts, pageBytes);
      if (last === log && size === 0) throw new LogBroken("the write-ahead log ends within a transaction");
      // Only the last record of a copy counts as its end: the one before may end a transaction by chance.
      const written = last === log ? size : 0;
      this.#writer.append({ kind: "frames", salts, frame: last, checksum, pages, size: written, pageBytes }, images);
      addAttachmentIds(images, this.#ids);
      if (this.#ids.size > idsMax) throw new LogBroken("too many attachments were changed at once");
      this.#position = { salts, frame: last, checksum };
      if (written > 0) this.#size = written;
    }
    const current = this.#logs.at(-1);
    if (current) current.to = log;
    this.#synced = false;
    // After a power cut, the spool and the log are compared by a place in this log.
    if (begun) this.#sync();
  }

  #sync() {
    if (!this.#synced) this.#writer.sync();
    this.#synced = true;
  }

  #attachments(db: Database): SpooledAttachment[] {
    if (this.#ids.size === 0) return [];
    const find = db.prepare<SpooledAttachment, [string]>(
      "select id, sha256, size from attachment where id = ?1 and state <> 'missing'",
    );
    try {
      return [...this.#ids].flatMap((id) => find.all(id));
    } finally {
      find.finalize();
    }
  }

  #begin(): SpoolWriter {
    const writer = SpoolWriter.create(this.#folder, spoolName(this.chain, this.number));
    try {
      writer.append({ kind: "begin", chain: this.chain, number: this.number, ...this.#position });
      writer.sync();
    } catch (error) {
      writer.close();
      throw error;
    }
    return writer;
  }
}

/** Chains are in the order of their times, and named like backups. */
function newChain(): string {
  const stamp = new Date().toISOString().replaceAll(/[-:.]/g, "");
  return `${stamp}-${crypto.randomUUID().slice(0, 6)}`;
}
