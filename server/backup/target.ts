import type { StoredObject } from "./stored-object.ts";

/** Where backups are kept: a folder, or a place in a bucket. */
export interface BackupTarget {
  /** Names the target for people. */
  readonly words: string;
  /** A folder of the target for unfinished files; undefined where there is none on this machine. */
  readonly scratch: string | undefined;
  /** Keeps other runs that write here away until it is called again, and removes what a killed run has left. */
  lock(): Promise<TargetLock>;
  /** Ids of all backups, oldest first. */
  ids(): Promise<string[]>;
  /** The text of a manifest; undefined when there is none. */
  manifest(id: string): Promise<string | undefined>;
  /** To be called last: every object is durable when the manifest is. */
  addManifest(id: string, text: string): Promise<void>;
  removeManifest(id: string): Promise<void>;
  /** All objects of a group, as the target lists them. */
  objects(group: string): AsyncGenerator<StoredObject>;
  /** The size of an object as the target has it; undefined when there is none. */
  sizeOf(sha256: string): Promise<number | undefined>;
  /** Stores an object whether it is there or not; its bytes are checked against the digest on the way. */
  put(object: StoredObject, bytes: ObjectSource): Promise<void>;
  /** The bytes of an object, unchecked; `readObject` checks them. */
  open(object: StoredObject): Promise<AsyncIterable<Uint8Array>>;
  removeObject(sha256: string): Promise<void>;
}

export interface TargetLock {
  /** Throws when the lock was lost to another run: this one was away for too long. */
  require(): Promise<void>;
  release(): Promise<void>;
}

/** Bytes in memory, or a file. */
export type ObjectSource = Uint8Array<ArrayBuffer> | { path: string };

/** Progress as people see it. */
export interface BackupOutput {
  /** A line that stays. */
  note(text: string): void;
  /** A line that the next one overwrites. */
  progress(text: string): void;
}
