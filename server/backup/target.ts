import { BackupRefused } from "./backup-refused.ts";
import type { SegmentName } from "./segment-name.ts";
import type { StoredObject } from "./stored-object.ts";

/** Where backups are kept: a folder, or a place in a bucket. */
export interface BackupTarget {
  /** Names the target for people. */
  readonly words: string;
  /** A folder of the target for unfinished files; undefined where there is none on this machine. */
  readonly scratch: string | undefined;
  /**
   * Keeps other runs that write here away until it is released, and removes what a killed run has left. Its lock is taken
   * over where that run is known to have ended, as on the same machine, and after a while elsewhere.
   */
  lock(): Promise<TargetLock>;
  /**
   * Keeps objects from being removed that are about to be named by a segment, and the other way round. A lock that was
   * left is taken over as that of {@link BackupTarget.lock} is.
   */
  lockObjects(): Promise<TargetLock>;
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
  /**
   * Stores an object; its bytes are checked against the digest on the way. Returns false when it was there already. A
   * bucket has been sent all bytes by then.
   */
  put(object: StoredObject, bytes: ObjectSource): Promise<boolean>;
  /** The bytes of an object, unchecked; `readObject` checks them. */
  open(object: StoredObject): Promise<AsyncIterable<Uint8Array>>;
  removeObject(sha256: string): Promise<void>;
  /** All segments of the log, in their order; of one chain when it is named. */
  segments(chain?: string): Promise<SegmentName[]>;
  /** Stores a segment: it counts once this resolves, and every object that was put before is durable then. */
  putSegment(segment: SegmentName, source: ObjectSource): Promise<void>;
  /** The bytes of a segment, unchecked. */
  openSegment(segment: SegmentName): Promise<AsyncIterable<Uint8Array>>;
  removeSegment(segment: SegmentName): Promise<void>;
}

export interface TargetLock {
  /** Throws when the lock was lost to another run: this one was away for too long. */
  require(): Promise<void>;
  release(): Promise<void>;
}

/** Objects are being removed, or are about to be named by a segment: a short time later they are not. */
export class ObjectsLocked extends BackupRefused {
  constructor(words: string) {
    super(`another run adds to or removes from ${words}; wait until it has ended`);
  }
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
