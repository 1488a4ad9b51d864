import { limits } from "../../openapi/schema/limits.ts";
import { sha256 } from "../envelope/sha256.ts";
import type { Digest, Draft, Files } from "../store/files.ts";
import type { PartHeaders } from "./part-headers.ts";

/** Bytes from which `file-type` recognises the type of a file. */
const headBytes = 4_100;

/** A part that has arrived completely. */
export interface Part extends PartHeaders {
  size: number;
  /** The first bytes, by which the type is recognised. */
  head: Uint8Array;
  /** The bytes in memory when they are few, else a draft on disk. */
  content: Uint8Array | Draft;
  digest: Digest;
}

/**
 * Takes the bytes of one part: up to 64 KiB in memory, beyond that into a file unless the body is held in memory. They are
 * hashed and counted on the way.
 */
export class Spool {
  readonly #headers: PartHeaders;
  readonly #files: Files;
  #chunks: Buffer[] = [];
  /** The number of chunks that were copied already. */
  #detached = 0;
  #spilled: { draft: Draft; hash?: Bun.SHA256; digest?: Uint8Array } | undefined;
  #ended = false;
  readonly #held: boolean;
  /** The first bytes. */
  head: Uint8Array = new Uint8Array();
  size = 0;

  /** With `held`, the part stays in memory whatever its size. */
  constructor(headers: PartHeaders, files: Files, held = false) {
    this.#headers = headers;
    this.#files = files;
    this.#held = held;
  }

  get name(): string {
    return this.#headers.name;
  }

  /** Adds bytes. They must not change before {@link settle} has resolved. */
  write(bytes: Buffer) {
    if (this.size === 0) this.head = bytes.subarray(0, headBytes);
    else if (this.head.length < headBytes)
      this.head = Buffer.concat([this.head, bytes.subarray(0, headBytes - this.head.length)]);
    this.#chunks.push(bytes);
    this.size += bytes.length;
  }

  /** Whether more bytes are in memory than should be: {@link settle} then moves them to the file. */
  get spills(): boolean {
    if (this.#held) return false;
    return this.#chunks.length > 0 && (this.#spilled !== undefined || this.size > limits.uploadBytes);
  }

  /** Called when the part is complete. */
  partEnd() {
    this.#ended = true;
  }

  /** Copies the bytes that belong to a chunk of the body, before that chunk is reused. */
  detach() {
    if (this.#detached === this.#chunks.length) return;
    if (this.#detached === 0) this.head = new Uint8Array(this.head);
    this.#chunks.push(Buffer.concat(this.#chunks.splice(this.#detached)));
    this.#detached = this.#chunks.length;
  }

  /** Moves the bytes in memory to the file. */
  async settle(): Promise<void> {
    const bytes = this.#takeChunks();
    if (this.#spilled) {
      this.#spilled.hash?.update(bytes);
      return this.#spilled.draft.write(bytes);
    }
    this.head = new Uint8Array(this.head);
    const draft = await this.#files.draft();
    this.#spilled = { draft };
    if (this.#ended) {
      // The part is complete: a thread can hash it while it is written.
      const [digest] = await Promise.all([
        crypto.subtle.digest("SHA-256", bytes as Buffer<ArrayBuffer>),
        draft.write(bytes),
      ]);
      this.#spilled.digest = new Uint8Array(digest);
    } else {
      this.#spilled.hash = new Bun.SHA256().update(bytes);
      await draft.write(bytes);
    }
  }

  /** Returns the whole part; called after the last {@link settle}. */
  end(): Part {
    const { size, head } = this;
    if (this.#spilled) {
      const { draft, hash } = this.#spilled;
      const digest = this.#spilled.digest ?? (hash?.digest() as unknown as Uint8Array);
      return { ...this.#headers, size, head, content: draft, digest: () => digest };
    }
    const content = this.#takeChunks();
    let digest: Uint8Array | undefined;
    // A thread would get a copy of the bytes, and to copy them into fresh memory takes as long as to hash them.
    const digestOnce = () => {
      digest ??= sha256(content);
      return digest;
    };
    return { ...this.#headers, size, head, content, digest: digestOnce };
  }

  async discard(): Promise<void> {
    await this.#spilled?.draft.discard();
  }

  #takeChunks(): Buffer {
    const [first] = this.#chunks;
    const bytes = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#detached = 0;
    return bytes;
  }
}
