import type { BlobLike, ByteStream } from "../core/web-types.ts";
import { reportLimits } from "../generated/contract.ts";
import type { AttachmentKind } from "../types.ts";
import { bytesOf, copyBuffer } from "./read-bytes.ts";

/** Contents of an attachment. Text is sent as UTF-8; a stream is read once, when the report is packed. */
export type AttachmentData = BlobLike | ByteStream | Uint8Array | ArrayBuffer | string;

/** An attachment of a report. */
export interface Attachment {
  /** Line ends, quotes and path separators in the name are replaced by `_`. */
  filename: string;
  /** Buffers are copied at the call; everything else is read when the report is packed. */
  data: AttachmentData;
  /** Media type. Default: the type of the data, or else `application/octet-stream`. */
  contentType?: string | undefined;
  /** What the attachment shows, such as a screenshot. Default: none. */
  kind?: AttachmentKind | undefined;
}

/** A `File`. */
export interface FileLike extends BlobLike {
  /** File name. */
  readonly name: string;
}

/** A file of React Native. */
export interface FileReference {
  /** URI of the file, for example `file:///…/photo.jpg`. */
  uri: string;
  /** File name. */
  name: string;
  /** Media type. */
  type: string;
}

/** Everything that can be attached. */
export type AttachmentInput = Attachment | FileLike | FileReference;

/** At most five attachments. */
export type Attachments = readonly [
  AttachmentInput?,
  AttachmentInput?,
  AttachmentInput?,
  AttachmentInput?,
  AttachmentInput?,
];

/** An attachment as it is sent: its entry in the envelope, and its bytes or the file from which React Native reads them. */
export interface Part {
  reference: {
    part: string;
    filename: string;
    contentType: string;
    kind: AttachmentKind | undefined;
    size?: number | undefined;
    sha256?: string | undefined;
  };
  data: Uint8Array | FileReference;
}

/** An attachment that was left out of a report, as the envelope lists it. */
export interface DroppedAttachment {
  filename: string;
  /** Size in bytes, where it was known. */
  size?: number | undefined;
  /** `too_many`: the sixth or a later one. `too_large`: the whole request would exceed 25 MiB. `unreadable`: reading it failed. */
  reason: "too_many" | "too_large" | "unreadable";
}

export const attachmentsMax = reportLimits.files - 1;

/** Copies the buffer of an attachment, so that the app may change the buffer after the call. Never throws. */
export function copyAttachment<Input extends AttachmentInput>(input: Input): Input {
  if (!("data" in Object(input))) return input;
  try {
    return { ...input, data: copyBuffer((input as Attachment).data, reportLimits.requestBytes) };
  } catch {
    // `readAttachments` then lists the attachment as `unreadable`.
    return {} as Input;
  }
}

/** Reads the attachments of a report. One that exceeds what is left of the request's 25 MiB is dropped, unread where its size is known. */
export async function readAttachments(inputs: readonly AttachmentInput[]) {
  const parts: Part[] = [];
  const dropped: DroppedAttachment[] = [];
  let room: number = reportLimits.requestBytes;
  for (const input of inputs) {
    const { filename, data, contentType, kind } = (
      "data" in Object(input) ? input : { filename: (input as FileLike).name, data: input }
    ) as Given;
    const { type } = Object(data) as Given["data"];
    const size = sizeOf(data);
    const entry = { filename: sanitizeFilename(filename), size };
    const full = parts.length === attachmentsMax;
    try {
      const bytes = full || (size ?? 0) > room ? undefined : await read(data, room);
      if (!bytes || (sizeOf(bytes) ?? 0) > room) dropped.push({ ...entry, reason: full ? "too_many" : "too_large" });
      else {
        const read = bytes instanceof Uint8Array && { size: bytes.length, sha256: await sha256(bytes) };
        const part = `attachment_${parts.length}`;
        const declared = contentType || type || "application/octet-stream";
        const reference = { part, ...entry, contentType: declared.replace(/[^ -~]/g, ""), kind, ...read };
        parts.push({ reference, data: bytes });
        if (read) room -= read.size;
      }
    } catch {
      dropped.push({ ...entry, reason: "unreadable" });
    }
  }
  return { parts, dropped };
}

/** Size in bytes of data that has not been read yet; undefined when it is not known. */
export function sizeOf(data: unknown): number | undefined {
  try {
    const { size, byteLength = size, length = byteLength } = Object(data) as Given["data"];
    return length;
  } catch {
    return undefined;
  }
}

/** The members of an attachment that are read. The caller may not have kept to the types. */
interface Given {
  filename: string;
  data: { size?: number; byteLength?: number; length?: number; type?: string; uri?: string };
  contentType?: string;
  kind?: AttachmentKind;
}

/** Reads data; undefined when it has more than `maxBytes`. Old versions of React Native cannot read files: there the reference is returned. */
async function read(data: unknown, maxBytes: number): Promise<Part["data"] | undefined> {
  const { uri } = Object(data) as FileReference;
  // Only in React Native: on a server, data from outside could name any URL or a file of the server here.
  if (!uri || !isNative()) return bytesOf(data, maxBytes);
  try {
    return await bytesOf(await (await fetch(uri)).arrayBuffer(), maxBytes);
  } catch {
    return data as FileReference;
  }
}

function isNative(): boolean {
  return (globalThis as { navigator?: { product?: string } }).navigator?.product === "ReactNative";
}

/** Replaces every character that a multipart parser may take for syntax; some parsers decode what follows a `%`. */
function sanitizeFilename(name: string): string {
  return (
    String(name ?? "")
      .replace(/[^ -~\u00a0-\uffff]|["%\\/:;\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, "_")
      .slice(0, 200) || "attachment"
  );
}

/** SHA-256 as hex digits; undefined where the platform has no Web Crypto, as in pages without TLS. */
async function sha256(bytes: Uint8Array): Promise<string | undefined> {
  const digest = await globalThis.crypto?.subtle?.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return digest && Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
