import type { BlobLike, ByteStream } from "../core/web-types.ts";
import { filesMax, requestBytesMax } from "../generated/contract.ts";
import type { AttachmentKind } from "../types.ts";
import type { NativeForms } from "./multipart-form.ts";
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

/** A file of React Native: for clients with the option `native`. */
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

/** At most five attachments; or the files of a page's input, of which there may be more by type. */
export type Attachments =
  | readonly [AttachmentInput?, AttachmentInput?, AttachmentInput?, AttachmentInput?, AttachmentInput?]
  | ArrayLike<FileLike>;

/** An attachment as it is sent: its entry in the envelope, and its bytes or the file from which React Native reads them. */
export interface Part {
  _reference: {
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

export const attachmentsMax = filesMax - 1;

/** An attachment as the client keeps it until it is read. */
export interface CopiedAttachment {
  filename: string;
  /** Size in bytes, where it is known before the data is read; of a text its length. */
  size?: number | undefined;
  data?: unknown;
  contentType?: string | undefined;
  kind?: AttachmentKind | undefined;
}

/** The members of an attachment or of its data that are read. The caller may not have kept to the types. */
interface Given extends CopiedAttachment {
  name?: string;
  type?: string;
  byteLength?: number;
  length?: number;
}

/** Brings an attachment into one form, and copies its buffer, so that the app may change the buffer after the call. Never throws. */
export function copyAttachment(input: AttachmentInput): CopiedAttachment {
  try {
    const { data: given = input, filename = (given as Given).name, contentType, kind } = Object(input) as Given;
    const data = copyBuffer(given, requestBytesMax);
    const { size, byteLength = size, length = byteLength, type } = Object(data) as Given;
    return { filename: sanitizeFilename(filename), size: length, data, contentType: contentType || type, kind };
  } catch {
    // `readAttachments` then lists the attachment as `unreadable`.
    return { filename: sanitizeFilename() };
  }
}

/** Reads the attachments of a report. One that exceeds what is left of the request's 25 MiB is dropped, unread where its size is known. */
export async function readAttachments(attachments: readonly CopiedAttachment[], native?: NativeForms) {
  const parts: Part[] = [];
  const dropped: DroppedAttachment[] = [];
  let room: number = requestBytesMax;
  for (const { data, contentType, kind, ...entry } of attachments) {
    const full = parts.length === attachmentsMax;
    try {
      const read = full || (entry.size ?? 0) > room || (await (native?.read(data, room) ?? bytesOf(data, room)));
      const bytes = read instanceof Uint8Array && { size: read.length, sha256: await sha256(read) };
      if (read === true || (bytes && bytes.size > room)) {
        dropped.push({ ...entry, reason: full ? "too_many" : "too_large" });
        continue;
      }
      parts.push({
        _reference: {
          part: `attachment_${parts.length}`,
          ...entry,
          contentType: (contentType || "application/octet-stream").replace(/[^ -~]/g, ""),
          kind,
          ...bytes,
        },
        data: read,
      });
      if (bytes) room -= bytes.size;
    } catch {
      dropped.push({ ...entry, reason: "unreadable" });
    }
  }
  return [parts, dropped] as const;
}

/** Replaces every character that a multipart parser may take for syntax; some parsers decode what follows a `%`. */
function sanitizeFilename(name?: string): string {
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
