import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "../access/context.ts";
import { unpack } from "../ingest/inspect.ts";
import type { Files } from "../store/files.ts";
import type { Reader, Row } from "../store/store.ts";
import type { Linked, Links } from "./links.ts";

interface AttachmentRow extends Row {
  id: string;
  filename: string | null;
  sniffed_type: string | null;
  content_type: string | null;
}

export interface LinkedFile {
  bytes: Blob;
  filename: string;
  /** As the sender said. */
  contentType: string;
  /** As its first bytes say, if they do. */
  sniffedType: string | null;
}

/** What a link leads to. A wrong code and an event that is gone are the same answer. */
export async function linkedFile({
  store,
  files,
  links,
  input: { eventId, what, code },
}: {
  store: Reader;
  files: Files;
  links: Links;
  input: { eventId: string; what: Linked; code: string };
}): Promise<LinkedFile> {
  if (!links.isValid(eventId, what, code)) throw new Refusal("not_found");
  return what === "envelope" ? envelopeOf(store, eventId) : attachmentOf(store, files, eventId, what);
}

async function envelopeOf(store: Reader, eventId: string): Promise<LinkedFile> {
  const row = await store.one<{ bytes: Uint8Array }>("select bytes from envelope where event_id = $1", [eventId]);
  if (!row) throw new Refusal("not_found");
  const unpacked = unpack(row.bytes, limits.envelopeBytes);
  if (!(unpacked instanceof Uint8Array)) throw new Error("the stored envelope cannot be unpacked");
  const bytes = new Blob([unpacked as Uint8Array<ArrayBuffer>]);
  return { bytes, filename: "envelope.json", contentType: "application/json", sniffedType: null };
}

async function attachmentOf(store: Reader, files: Files, eventId: string, number: number): Promise<LinkedFile> {
  const row = await store.one<AttachmentRow>(
    "select id, filename, sniffed_type, content_type from attachment where event_id = $1 and number = $2 and state <> 'missing'",
    [eventId, number],
  );
  const file = row && files.read(row.id);
  if (!row || !file || !(await file.exists())) throw new Refusal("not_found");
  return {
    bytes: file,
    filename: row.filename ?? `attachment-${number}`,
    contentType: row.content_type ?? "application/octet-stream",
    sniffedType: row.sniffed_type,
  };
}
