import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "../core/context.ts";
import type { Reader, Row } from "../core/store.ts";
import { unpack } from "../envelope/decode-envelope.ts";
import { type Files, fileOfBlob, type KeptFile } from "../store/files.ts";
import type { Linked, Links } from "./links.ts";

interface AttachmentRow extends Row {
  id: string;
  filename: string | null;
  sniffed_type: string | null;
  content_type: string | null;
}

interface LinkedFile {
  file: KeptFile;
  filename: string;
  /** The type that the sender gave. */
  contentType: string;
  /** The type that the first bytes show; null when they show none. */
  sniffedType: string | null;
}

/** Opens the file that a signed link names. A wrong code, a deleted event and a deleted project get the same 404. */
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

const ofEvent = (table: string) => `join event e on e.id = ${table}.event_id join project p on p.id = e.project_id`;

async function envelopeOf(store: Reader, eventId: string): Promise<LinkedFile> {
  const row = await store.one<{ bytes: Uint8Array }>(
    `select v.bytes from envelope v ${ofEvent("v")} where v.event_id = $1 and p.deleted_at is null`,
    [eventId],
  );
  if (!row) throw new Refusal("not_found");
  const unpacked = unpack(row.bytes, limits.envelopeBytes);
  if (!(unpacked instanceof Uint8Array)) throw new Error("the stored envelope cannot be unpacked");
  const file = fileOfBlob(new Blob([unpacked as Uint8Array<ArrayBuffer>]));
  return { file, filename: "envelope.json", contentType: "application/json", sniffedType: null };
}

async function attachmentOf(store: Reader, files: Files, eventId: string, number: number): Promise<LinkedFile> {
  const row = await store.one<AttachmentRow>(
    `select a.id, a.filename, a.sniffed_type, a.content_type from attachment a ${ofEvent("a")}
     where a.event_id = $1 and a.number = $2 and a.state <> 'missing' and p.deleted_at is null`,
    [eventId, number],
  );
  const file = row && (await files.find(row.id));
  if (!file) throw new Refusal("not_found");
  return {
    file,
    filename: row.filename ?? `attachment-${number}`,
    contentType: row.content_type ?? "application/octet-stream",
    sniffedType: row.sniffed_type,
  };
}
