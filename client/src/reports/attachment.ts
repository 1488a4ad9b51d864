import type { BlobLike, ByteStream } from "../core/web.ts";
import { reportLimits } from "../generated/contract.ts";
import type { AttachmentKind } from "../types.ts";
import { bytesOf, copied } from "./bytes.ts";

/** What an attachment holds. Text is sent as UTF-8; a stream is read once, when the report is packed. */
export type AttachmentData = BlobLike | ByteStream | Uint8Array | ArrayBuffer | string;

/** An attachment of a report. */
export interface Attachment {
  /** Line ends, quotes and separators in it become `_`. */
  filename: string;
  /** Bytes are copied at the call; everything else is read when the report is packed. */
  data: AttachmentData;
  /** Media type; the data's own unless told, else `application/octet-stream`. */
  contentType?: string | undefined;
  /** What it shows; none unless told. */
  kind?: AttachmentKind | undefined;
}

/** A `File`. */
export interface FileLike extends BlobLike {
  /** File name. */
  readonly name: string;
}

/** A file as React Native names it. */
export interface FileReference {
  /** Where it is, for example `file:///…/photo.jpg`. */
  uri: string;
  /** File name. */
  name: string;
  /** Media type. */
  type: string;
}

/** Everything that can be attached. */
export type AttachmentInput = Attachment | FileLike | FileReference;

/** Up to five. */
export type Attachments = readonly [
  AttachmentInput?,
  AttachmentInput?,
  AttachmentInput?,
  AttachmentInput?,
  AttachmentInput?,
];

/** An attachment as it is sent: what the envelope says of it, and its bytes, or where React Native finds them. */
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

/** An attachment that was left out, as the envelope names it. */
export interface DroppedAttachment {
  filename: string;
  /** Bytes, where they were known. */
  size?: number | undefined;
  /** `too_many`: beyond five. `too_large`: above 25 MiB with the rest. `unreadable`: reading it failed. */
  reason: "too_many" | "too_large" | "unreadable";
}

export const attachmentsMax = reportLimits.files - 1;

/** As it is at the call, whatever becomes of its buffer later. */
export function asItIs<Input extends AttachmentInput>(input: Input): Input {
  if (!("data" in Object(input))) return input;
  try {
    return { ...input, data: copied((input as Attachment).data, reportLimits.requestBytes) };
  } catch {
    // It is told of when it is read.
    return {} as Input;
  }
}

/** Reads the attachments of a report, each only if it may still fit. */
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
    const entry = { filename: cleaned(filename), size };
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

/** As far as it is known before it is read. */
export function sizeOf(data: unknown): number | undefined {
  try {
    const { size, byteLength = size, length = byteLength } = Object(data) as Given["data"];
    return length;
  } catch {
    return undefined;
  }
}

/** Whatever was given, as far as it is looked at. */
interface Given {
  filename: string;
  data: { size?: number; byteLength?: number; length?: number; type?: string; uri?: string };
  contentType?: string;
  kind?: AttachmentKind;
}

/** Newer React Natives read a file by `fetch`; older ones only take its name into a form. */
async function read(data: unknown, most: number): Promise<Part["data"] | undefined> {
  const { uri } = Object(data) as FileReference;
  // Elsewhere an object from a stranger could name any address, or a file of the server.
  if (!uri || !isNative()) return bytesOf(data, most);
  try {
    return await bytesOf(await (await fetch(uri)).arrayBuffer(), most);
  } catch {
    return data as FileReference;
  }
}

function isNative(): boolean {
  return (globalThis as { navigator?: { product?: string } }).navigator?.product === "ReactNative";
}

/** A name that no reader of a form takes for anything else; some decode what follows a %. */
function cleaned(name: string): string {
  return (
    String(name ?? "")
      .replace(/[^ -~\u00a0-\uffff]|["%\\/:;\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, "_")
      .slice(0, 200) || "attachment"
  );
}

/** Undefined where the platform has none, as on pages without TLS. */
async function sha256(bytes: Uint8Array): Promise<string | undefined> {
  const digest = await globalThis.crypto?.subtle?.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return digest && Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
