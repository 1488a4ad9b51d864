import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { zstdDecompressSync } from "node:zlib";
import { isUuid } from "../../openapi/check.ts";
import { readSpool, type SpooledLog } from "../store/spool-file.ts";
import { BackupRefused } from "./backup-refused.ts";
import type { SegmentName } from "./segment-name.ts";
import { isDigest, type StoredObject } from "./stored-object.ts";
import type { BackupTarget } from "./target.ts";

/** An attachment that the segment brings; without an object when its file was gone before it could be copied. */
export interface SegmentAttachment {
  id: string;
  object: StoredObject | null;
}

/** What stands before the pages of a segment. */
interface SegmentHead {
  format: number;
  chain: string;
  number: number;
  /** Epoch milliseconds. */
  end: number;
  /** Pages of the database at the end. */
  size: number;
  pageBytes: number;
  /** The place in a write-ahead log where the segment before it ends; undefined when the version that wrote it could not. */
  from?: SpooledLog;
  /** The write-ahead logs whose frames are in it, in their order. */
  logs: SpooledLog[];
  attachments: SegmentAttachment[];
}

const segmentFormat = 1;
/** Pages of one block (1 MiB), which is compressed by itself. */
const blockPages = 256;
/** Pages of tickets are as small with level 1 as with 3, and cost a third less processor time. */
const compressionLevel = 1;
const headBytesMax = 64 * 1024 * 1024;
const u32 = 4;

/** What a spool file holds; undefined when it is not complete. */
export function readSpooled(path: string) {
  /** Where the newest image of each page stands in the file. */
  const images = new Map<number, number>();
  let begin: { chain: string; number: number; salts: string | null; frame: number } | undefined;
  let pageBytes = 0;
  for (const { record, bodyAt } of readSpool(path)) {
    if (record.kind === "begin") begin = record;
    else if (record.kind === "frames") {
      pageBytes = record.pageBytes;
      for (const [i, page] of record.pages.entries()) images.set(page, bodyAt + i * pageBytes);
    } else if (record.kind === "end" && begin) {
      const { end, size, logs, attachments } = record;
      const { chain, number, salts, frame } = begin;
      const from = { salts, to: frame };
      // A page behind the end was given back by a vacuum.
      const pages = [...images].filter(([page]) => page <= size).sort(([a], [b]) => a - b);
      return { chain, number, end, size, pageBytes, from, logs, attachments, pages };
    }
  }
  return undefined;
}

/**
 * Writes the segment to a file: the head, and blocks of the newest images of its pages, compressed. The same spool file
 * and attachments give the same bytes.
 */
export function writeSegment(
  spooled: NonNullable<ReturnType<typeof readSpooled>>,
  attachments: SegmentAttachment[],
  { from, to }: { from: string; to: string },
): SegmentName {
  const { pages, attachments: _, ...words } = spooled;
  const digest = new Bun.CryptoHasher("sha256");
  let bytes = 0;
  const [source, file] = [openSync(from, "r"), openSync(to, "w", 0o600)];
  const write = (some: Uint8Array) => {
    digest.update(some);
    for (let at = 0; at < some.length; ) at += writeSync(file, some, at);
    bytes += some.length;
  };
  try {
    const head: SegmentHead = { format: segmentFormat, ...words, attachments };
    const json = Buffer.from(JSON.stringify(head));
    write(numbers(json.length));
    write(Bun.SHA256.hash(json) as Uint8Array);
    write(json);
    const block = Buffer.allocUnsafe(Math.min(pages.length, blockPages) * words.pageBytes);
    for (let i = 0; i < pages.length; i += blockPages) {
      const some = pages.slice(i, i + blockPages);
      const raw = block.subarray(0, some.length * words.pageBytes);
      for (const [k, [, at]] of some.entries()) {
        readSync(source, raw, k * words.pageBytes, words.pageBytes, at);
      }
      const compressed = Bun.zstdCompressSync(raw, { level: compressionLevel });
      write(numbers(some.length, compressed.length, ...some.map(([page]) => page)));
      write(compressed);
    }
    write(numbers(0, 0));
  } finally {
    closeSync(source);
    closeSync(file);
  }
  const { chain, number, end } = words;
  const files = attachments.some(({ object }) => object !== null);
  return { chain, number, end, sha256: digest.digest("hex"), files, bytes };
}

/** Reads the head of a segment alone. Throws unless every byte of it is as it was written. */
export async function readHead(target: BackupTarget, segment: SegmentName): Promise<SegmentHead> {
  let bytes = Buffer.alloc(0);
  for await (const some of await target.openSegment(segment)) {
    bytes = Buffer.concat([bytes, some]);
    const head = headIn(bytes, target, segment);
    if (head) return head.head;
  }
  throw new SegmentDamaged(target, segment, "has another size");
}

/**
 * Reads a segment. `onPages` receives the numbers of some pages, and their images one after the other. Throws unless every
 * byte is as it was written; all of them are checked before any is used.
 */
export async function readSegment(
  target: BackupTarget,
  segment: SegmentName,
  onPages: (numbers: number[], images: Uint8Array, head: SegmentHead) => void,
): Promise<SegmentHead> {
  const damaged = (what: string) => new SegmentDamaged(target, segment, what);
  const bytes = await wholeSegment(target, segment, damaged);
  const found = headIn(bytes, target, segment);
  if (!found) throw damaged(foreign);
  const { head, end } = found;
  let at = end;
  const take = (length: number) => {
    if (at + length > bytes.length) throw damaged(foreign);
    at += length;
    return bytes.subarray(at - length, at);
  };
  const number = () => take(u32).readUInt32LE(0);
  for (;;) {
    const [count, length] = [number(), number()];
    if (count === 0) return head;
    if (count > blockPages) throw damaged(foreign);
    const pages = Array.from({ length: count }, number);
    const size = count * head.pageBytes;
    const images = zstdDecompressSync(take(length), { maxOutputLength: size });
    if (images.length !== size || pages.some((page) => page < 1 || page > head.size)) throw damaged(foreign);
    onPages(pages, images, head);
  }
}

const foreign = "was not written by intake";
const digestBytes = 32;

/** The head at the beginning of these bytes, and where it ends; undefined while there are too few of them. */
function headIn(
  bytes: Buffer,
  target: BackupTarget,
  segment: SegmentName,
): { head: SegmentHead; end: number } | undefined {
  if (bytes.length < u32 + digestBytes) return undefined;
  const length = bytes.readUInt32LE(0);
  if (length > headBytesMax) throw new SegmentDamaged(target, segment, foreign);
  const start = u32 + digestBytes;
  if (bytes.length < start + length) return undefined;
  const json = bytes.subarray(start, start + length);
  if (Bun.SHA256.hash(json, "hex") !== bytes.toString("hex", u32, start)) {
    throw new SegmentDamaged(target, segment, "has other bytes");
  }
  const head = headOf(json, segment);
  if (!head) throw new SegmentDamaged(target, segment, foreign);
  return { head, end: start + length };
}

async function wholeSegment(
  target: BackupTarget,
  segment: SegmentName,
  damaged: (what: string) => SegmentDamaged,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const some of await target.openSegment(segment)) {
    length += some.length;
    if (length > segment.bytes) break;
    chunks.push(Buffer.from(some));
  }
  const bytes = Buffer.concat(chunks);
  if (length !== segment.bytes) throw damaged("has another size");
  if (Bun.SHA256.hash(bytes, "hex") !== segment.sha256) throw damaged("has other bytes");
  return bytes;
}

/** A segment is missing or has other bytes. */
export class SegmentDamaged extends BackupRefused {
  constructor(target: BackupTarget, { chain, number, end }: SegmentName, what: string) {
    super(
      `segment ${number} of the log ${chain}, which ends at ${new Date(end).toISOString()}, in ${target.words} ${what}: a moment before it, or a backup after it, can be restored`,
    );
  }
}

function headOf(bytes: Buffer, segment: SegmentName): SegmentHead | undefined {
  let head: SegmentHead;
  try {
    head = JSON.parse(bytes.toString()) as SegmentHead;
  } catch {
    return undefined;
  }
  const { format, chain, number, end, size, pageBytes, logs, attachments } = head ?? {};
  if (typeof format === "number" && format > segmentFormat) {
    throw new BackupRefused(`segment ${segment.number} of the log was made by a newer intake; use that version`);
  }
  const sound =
    format === segmentFormat &&
    chain === segment.chain &&
    number === segment.number &&
    end === segment.end &&
    [size, pageBytes].every((value) => Number.isSafeInteger(value) && value > 0) &&
    pageBytes <= 65_536 &&
    Array.isArray(logs) &&
    logs.every(({ salts, to }) => (salts === null || /^[0-9a-f]{16}$/.test(salts)) && Number.isSafeInteger(to)) &&
    Array.isArray(attachments) &&
    attachments.every(({ id, object }) => {
      return isUuid(id) && (object === null || (isDigest(object.sha256) && Number.isSafeInteger(object.bytes)));
    });
  return sound ? head : undefined;
}

function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * u32);
  for (const [i, value] of values.entries()) bytes.writeUInt32LE(value, i * u32);
  return bytes;
}
