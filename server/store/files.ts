/** The port to the bytes of attachments: a folder, or object storage later. A file is named by the UUID of its attachment. */
export interface Files {
  /** Why nothing can be kept at the moment, or undefined when all is well. */
  trouble(): string | undefined;
  /** Finds out, by writing something, whether trouble is over. */
  probe(): Promise<void>;
  /** Begins a file for an upload, which is not kept yet. */
  draft(): Promise<Draft>;
  /** Resolves once the bytes and their name are durable. The draft is gone. */
  keep(draft: Draft, id: string): Promise<void>;
  /** A kept file; its bytes are read when they are asked for. */
  read(id: string): Blob & { exists(): Promise<boolean> };
  /** Removes kept files; a missing file is no error. */
  remove(ids: readonly string[]): Promise<void>;
  /** Removes drafts that an earlier process has left, or all, when nothing comes in any more. */
  removeDrafts(whose: "earlier" | "all"): Promise<void>;
  /** Ids of files kept before a moment (epoch milliseconds), some hundred at a time. */
  keptBefore(moment: number): AsyncGenerator<string[]>;
}

export interface Draft {
  /** Resolves when the bytes are taken; they may be used again then. */
  write(bytes: Uint8Array): Promise<void>;
  /** Everything that was written, in memory. */
  bytes(): Promise<Uint8Array>;
  /** Removes the draft unless it was kept. Never throws. */
  discard(): Promise<void>;
}
