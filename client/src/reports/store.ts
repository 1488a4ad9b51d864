/**
 * Where waiting reports are kept beyond the life of a page or process. A store holds bytes by name; names are made of
 * `0-9`, `a-f` and `-`, up to 80 characters. Nothing in it is secret: neither key nor token is ever stored.
 */
export interface QueueStore {
  /** The names of all records, in any order. What is not a name of ours is left alone. */
  names(): Promise<readonly string[]>;
  /** The bytes of a record, undefined when it is gone. */
  read(name: string): Promise<Uint8Array | undefined>;
  /** Keeps a record; durable when it resolves. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /** Forgets a record; one that is gone already is no error. */
  remove(name: string): Promise<void>;
  /**
   * Does `work` unless another tab or process is at it, and tells whether it did. Without it two may send the same
   * report at once; the server keeps one of them.
   */
  exclusive?(work: () => Promise<void>): Promise<boolean>;
}

/** What the name of a record tells. */
export interface RecordName {
  /** When it was captured, in epoch milliseconds. */
  at: number;
  /** Bytes. */
  size: number;
  reportId: string;
}

/** Names sort by time, then by `count`, whatever a clock says that nobody has set. */
export function recordName({ at, size, reportId }: RecordName, count: number): string {
  return `${String(at).padStart(16, "0")}-${String(count).padStart(6, "0")}-${size}-${reportId}`;
}

/** Undefined for what is not one of ours: others may keep things in the same place. */
export function readRecordName(name: string): RecordName | undefined {
  const [, at, size, reportId] = /^(\d{16})-\d{6,}-(\d+)-([\da-f-]{36})$/.exec(name) ?? [];
  return reportId ? { at: Number(at), size: Number(size), reportId } : undefined;
}
