import { envelopePart } from "../../openapi/schema/ingest.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "../core/context.ts";
import { isGzip } from "../envelope/decode-envelope.ts";
import { BodyTooLarge, declaredLength } from "../http/body.ts";
import type { Edge } from "../http/edge.ts";
import { BodyInPieces, readUpload } from "../http/upload.ts";
import type { Files } from "../store/files.ts";
import { Malformed, TooLarge } from "./malformed.ts";
import { MultipartParser } from "./multipart.ts";
import { boundaryOf, type PartHeaders } from "./part-headers.ts";
import { type Part, Spool } from "./spool.ts";

interface ReadOptions {
  files: Files;
  /** Seconds in which the whole body has to arrive. */
  seconds: number;
  /** Called once the body is an upload, larger than 64 KiB. Rejects to refuse it. */
  onUpload: () => Promise<void>;
  /** Asked once for an upload of declared length, whether it may be held in memory whole. */
  mayHold: (bytes: number) => boolean;
  /**
   * Called with the number of bytes that were taken in since the last call. Never called for an upload that is held in
   * memory: its files are written later.
   */
  onWritten: (bytes: number) => void;
}

/**
 * Reads a body as the parts of a report, within every limit of its form: first those that the headers show, then those
 * that the stream shows. Removes what it wrote to disk when it throws.
 */
export async function readParts(edge: Edge, request: Request, options: ReadOptions): Promise<Part[]> {
  const { seconds, onUpload, mayHold, onWritten } = options;
  const declared = declaredLength(request);
  if (isUpload(request)) await onUpload();
  if (declared !== undefined && declared > limits.ingestBodyBytes) throw new TooLarge("request");
  const boundary = requireBoundary(request.headers);
  const held = declared !== undefined && (!isUpload(request) || mayHold(declared));
  const form = new Form(options.files, held);
  const parser = new MultipartParser(boundary, form);
  try {
    const rules = { declared, maxBytes: limits.ingestBodyBytes, seconds, held, onUpload };
    await readUpload(edge, request, rules, (chunk, kept) => {
      const { length } = chunk;
      parser.push(chunk);
      const settled = form.settle(kept);
      if (!settled && !held) onWritten(length);
      return settled?.then(() => onWritten(length));
    });
    parser.finish();
    return form.end();
  } catch (error) {
    await form.discard();
    if (error instanceof BodyInPieces)
      throw new Malformed("multipart_malformed", "The body comes in too many small pieces.");
    throw error instanceof BodyTooLarge ? new TooLarge("request") : error;
  }
}

/** Whether the declared length makes a body an upload: larger than 64 KiB. */
export function isUpload(request: Request): boolean {
  return (declaredLength(request) ?? 0) > limits.uploadBytes;
}

/** Removes the drafts that parts have on disk, except those that were kept as attachments. */
export async function discardParts(parts: readonly Part[]): Promise<void> {
  for (const { content } of parts) if (!(content instanceof Uint8Array)) await content.discard();
}

function requireBoundary(headers: Headers): string {
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  if (encoding !== "" && encoding !== "identity") {
    throw new Refusal("unsupported_media_type", "Send the request itself uncompressed; only the envelope may be gzip.");
  }
  const boundary = boundaryOf(headers.get("content-type"));
  if (boundary === undefined) throw new Refusal("unsupported_media_type", "Send the report as multipart/form-data.");
  if (boundary === "") throw new Malformed("multipart_malformed", "The Content-Type has no boundary that can be used.");
  return boundary;
}

/** Collects the parts that the multipart parser finds. */
class Form {
  readonly #spools: Spool[] = [];
  readonly #files: Files;
  readonly #held: boolean;

  /** With `held`, all parts stay in memory. */
  constructor(files: Files, held: boolean) {
    this.#files = files;
    this.#held = held;
  }

  part(headers: PartHeaders) {
    if (this.#spools.length >= limits.parts) throw new TooLarge("files");
    if (headers.name === envelopePart && this.#spools.some(({ name }) => name === envelopePart)) {
      throw new Malformed("multipart_malformed", `Two parts have the name ${envelopePart}.`);
    }
    this.#spools.push(new Spool(headers, this.#files, this.#held));
  }

  data(bytes: Buffer) {
    const spool = this.#spools.at(-1) as Spool;
    spool.write(bytes);
    if (spool.name !== envelopePart) return;
    // The size of a compressed envelope shows only when it is unpacked; until then its compressed size has a bound.
    const max = isGzip(spool.head) ? limits.packedEnvelopeBytes : limits.envelopeBytes;
    if (spool.size > max) throw new TooLarge("envelope");
  }

  partEnd() {
    this.#spools.at(-1)?.partEnd();
  }

  /**
   * Makes the parts independent of the chunk, or returns a promise to wait for when a part goes to disk, which is rare.
   */
  settle(kept: boolean): Promise<void> | undefined {
    const waiting = this.#spools.filter((spool) => spool.spills);
    if (!kept) for (const spool of this.#spools) if (!spool.spills) spool.detach();
    return waiting.length === 0 ? undefined : this.#settle(waiting);
  }

  async #settle(waiting: readonly Spool[]): Promise<void> {
    for (const spool of waiting) await spool.settle();
  }

  end(): Part[] {
    return this.#spools.map((spool) => spool.end());
  }

  async discard(): Promise<void> {
    for (const spool of this.#spools) await spool.discard();
  }
}
