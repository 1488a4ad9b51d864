/**
 * Keeps waiting reports when the page or process ends. A store maps names to bytes; names consist of `0-9`, `a-f` and
 * `-` and have at most 80 characters. Neither SDK key nor token is ever stored.
 */
export interface QueueStore {
  /** The names of all records, in any order. Names that this package has not made are ignored. */
  names(): Promise<readonly string[]>;
  /** The bytes of a record; undefined when there is no such record. */
  read(name: string): Promise<Uint8Array | undefined>;
  /** Stores a record, durably by the time the promise resolves. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /** Removes a record; no error when there is no such record. */
  remove(name: string): Promise<void>;
  /**
   * Runs `work` unless another tab or process is running its own; resolves to whether `work` was run. In a store without
   * this method two tabs may send the same report at once; the server stores it once.
   */
  exclusive?(work: () => Promise<void>): Promise<boolean>;
}

/** What the name of a record consists of. */
export interface RecordName {
  /** When the report was captured, in epoch milliseconds. */
  at: number;
  /** Size of the record in bytes. */
  size: number;
  reportId: string;
}

/** Makes the name of a record. Names sort by time and then by `count`; 16 digits hold the time of a clock that is far ahead too. */
export function recordName(record: RecordName, count: number): string {
  return `${String(record.at).padStart(16, "0")}-${String(count).padStart(6, "0")}-${record.size}-${record.reportId}`;
}

/** Reads the name of a record; undefined for other names, since other programs may keep files in the same folder. */
export function readRecordName(name: string): RecordName | undefined {
  const [, at, size, reportId] = /^(\d{16})-\d{6,}-(\d+)-([\da-f-]{36})$/.exec(name) ?? [];
  return reportId ? { at: Number(at), size: Number(size), reportId } : undefined;
}
