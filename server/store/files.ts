/**
 * The port to the bytes of attachments: a folder, or S3-compatible object storage. The UUID of an attachment names its
 * file.
 */
export interface Files {
  /**
   * Whether other processes keep files in the same place: then a file without a row may belong to a report that another
   * process is storing.
   */
  readonly shared: boolean;
  /** Why no file can be kept at the moment, or undefined when files can be kept. */
  trouble(): string | undefined;
  /** Writes something to find out whether files can be kept again. */
  probe(): Promise<void>;
  /** Begins a file for an upload, which is not kept yet. */
  draft(): Promise<Draft>;
  /**
   * Resolves once the bytes and their name are durable. The draft is gone. `digest` is asked only where storage needs it:
   * a thread writes to a folder while the bytes are hashed.
   */
  keep(draft: Draft, id: string, digest: Digest): Promise<void>;
  /** As {@link keep}, for bytes in memory: nothing of the file stays when this rejects, or what stays is swept. */
  keepBytes(bytes: Uint8Array, id: string, digest: Digest): Promise<void>;
  /** Finds a kept file; undefined when there is none. */
  find(id: string): Promise<KeptFile | undefined>;
  /** Removes kept files; a missing file is no error. */
  remove(ids: readonly string[]): Promise<void>;
  /** Removes drafts that an earlier process has left, or all drafts once no uploads come in any more. */
  removeDrafts(whose: "earlier" | "all"): Promise<void>;
  /** Ids of files that were kept before a time (epoch milliseconds), at most {@link pageOfIds} at a time. */
  keptBefore(moment: number): AsyncGenerator<string[]>;
}

/** Gives the SHA-256 of the bytes, 32 bytes long; hashes them when it is called for the first time. */
export type Digest = () => Uint8Array;

export interface Draft {
  /** Resolves when the bytes were taken; the caller may reuse their memory then. */
  write(bytes: Uint8Array): Promise<void>;
  /** All bytes that were written, in memory. */
  bytes(): Promise<Uint8Array>;
  /** Removes the draft unless it was kept. Never throws. */
  discard(): Promise<void>;
}

/** A file whose bytes are read only when they are used. */
export interface KeptFile {
  readonly size: number;
  /** Opens the bytes from `start` up to `end`, which is not included. Rejects before the first byte, or the stream fails. */
  open(start: number, end: number): Promise<Blob | ReadableStream<Uint8Array<ArrayBuffer>>>;
}

export const pageOfIds = 200;

/** A file in memory, or one on the local disk, from which Bun sends without reading it into memory. */
export function fileOfBlob(blob: Blob): KeptFile {
  const { size } = blob;
  return { size, open: async (start, end) => (start === 0 && end === size ? blob : blob.slice(start, end)) };
}

/** Reads the bytes from `start` up to `end` into memory. */
export async function bytesOf(file: KeptFile, start = 0, end = file.size): Promise<Uint8Array<ArrayBuffer>> {
  return (await new Response(await file.open(start, end)).bytes()) as Uint8Array<ArrayBuffer>;
}
