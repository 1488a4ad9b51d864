import type { Database, Statement } from "bun:sqlite";
import { openDatabase } from "./open-database.ts";
import { WalFile } from "./wal-file.ts";

/** Tries to pin the log just where a transaction has ended; a busy writer commits in between. */
const exactTries = 200;

/** What every connection can read of the log. */
export interface PublishedLog {
  salts: string | undefined;
  pageBytes: number;
  /** Frames of whole transactions. */
  log: number;
}

/** A read transaction that pins the log, to be given to {@link LogPin.release}. */
type Pin = Database;

/**
 * Keeps SQLite's write-ahead log from being written over: one of two connections always has a read transaction open.
 * Nobody can write a frame behind it back into the database (a checkpoint stops at the oldest reader), and the log can
 * start over only when everything in it stands in the database.
 */
export class LogPin {
  readonly wal: WalFile;
  readonly #look: Statement<{ log: number; checkpointed: number }, []>;
  readonly #connections: [Database, Database];

  /** Pins the log. `look` is a connection without a transaction. */
  constructor(path: string, look: Database) {
    this.#look = look.prepare("pragma wal_checkpoint(noop)");
    const first = openDatabase(path, { busyMs: 1_000 });
    let second: Database | undefined;
    try {
      this.#begin(first);
      this.wal = new WalFile(`${path}-wal`);
      second = openDatabase(path, { busyMs: 1_000 });
    } catch (error) {
      first.close();
      throw error;
    }
    this.#connections = [first, second];
  }

  /** The log with its header, which is that of these frames when it is the same before and after. */
  published(): PublishedLog {
    for (;;) {
      const before = this.wal.header();
      const log = this.#look.all()[0]?.log ?? 0;
      if (this.wal.header()?.salts === before?.salts) {
        return { salts: before?.salts, pageBytes: before?.pageBytes ?? 0, log: Math.max(0, log) };
      }
    }
  }

  /** Frames of the log that stand in the database. */
  writtenBack(): number {
    return this.#look.all()[0]?.checkpointed ?? 0;
  }

  /** Pins the log where it ends now, beside the pin that is there. */
  next(): Pin {
    return this.#begin(this.#connections[1]);
  }

  /**
   * As {@link LogPin.next}, just behind a transaction: everything that was answered before `end` is in the log up to
   * there. Undefined when too many commits came in between.
   */
  nextExactly(): { next: Pin; published: PublishedLog; end: number } | undefined {
    for (let tries = 0; tries < exactTries; tries++) {
      const end = Date.now();
      const before = this.published();
      const next = this.next();
      const published = this.published();
      const same = published.salts === before.salts && published.log === before.log;
      // The clock is looked at as well: the end of a segment is exact to the millisecond.
      if (same && (Date.now() === end || tries > exactTries / 2)) return { next, published, end };
      next.run("rollback");
    }
    return undefined;
  }

  /** Ends the older of the two pins. */
  release(next: Pin) {
    const [held] = this.#connections;
    held.run("rollback");
    this.#connections.reverse();
    if (this.#connections[0] !== next) throw new Error("the wrong connection holds the log");
  }

  close() {
    this.#look.finalize();
    for (const db of this.#connections) db.close();
    this.wal.close();
  }

  #begin(db: Database): Pin {
    db.run("begin");
    db.query("select 1 from sqlite_schema limit 1").all();
    return db;
  }
}
