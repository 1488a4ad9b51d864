/**
 * The port to the bytes of attachments: a folder, or object storage later. The UUID of an attachment names its file.
 */
export interface Files {
  /** Why no file can be kept at the moment, or undefined when files can be kept. */
  trouble(): string | undefined;
  /** Writes something to find out whether files can be kept again. */
  probe(): Promise<void>;
  /** Begins a file for an upload, which is not kept yet. */
  draft(): Promise<Draft>;
  /** Resolves once the bytes and their name are durable. The draft is gone. */
  keep(draft: Draft, id: string): Promise<void>;
  /** As {@link keep}, for bytes in memory: nothing of the file stays when this rejects. */
  keepBytes(bytes: Uint8Array, id: string): Promise<void>;
  /** A kept file; its bytes are read only when they are used. */
  read(id: string): Blob & { exists(): Promise<boolean> };
  /** Removes kept files; a missing file is no error. */
  remove(ids: readonly string[]): Promise<void>;
  /** Removes drafts that an earlier process has left, or all drafts once no uploads come in any more. */
  removeDrafts(whose: "earlier" | "all"): Promise<void>;
  /** Ids of files that were kept before a time (epoch milliseconds), a few hundred at a time. */
  keptBefore(moment: number): AsyncGenerator<string[]>;
}

export interface Draft {
  /** Resolves when the bytes were taken; the caller may reuse their memory then. */
  write(bytes: Uint8Array): Promise<void>;
  /** All bytes that were written, in memory. */
  bytes(): Promise<Uint8Array>;
  /** Removes the draft unless it was kept. Never throws. */
  discard(): Promise<void>;
}
