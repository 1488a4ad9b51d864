import type { Reader, Row } from "../core/store.ts";
import { imageTypes, videoTypes } from "../files/shown-types.ts";
import type { Files } from "../store/files.ts";

/** An attachment on the page of its report. */
export interface ShownAttachment {
  id: string;
  index: number;
  part: string;
  filename: string | null;
  contentType: string | null;
  sniffedType: string | null;
  size: number | null;
  sha256: string | null;
  kind: string;
  state: "stored" | "missing" | "unlisted" | "differs";
  /** How it can be looked at; `none`: only saved. */
  view: "image" | "video" | "text" | "none";
  /** Its file is there. */
  there: boolean;
}

interface StoredRow extends Row {
  id: string;
  number: number;
  part: string;
  filename: string | null;
  content_type: string | null;
  sniffed_type: string | null;
  size: number | null;
  sha256: string | null;
  kind: string;
  state: string;
}

export async function shownAttachmentsOf(store: Reader, files: Files, eventId: string): Promise<ShownAttachment[]> {
  const rows = await store.all<StoredRow>("select * from attachment where event_id = $1 order by number", [eventId]);
  return Promise.all(
    rows.map(async (row) => ({
      id: row.id,
      index: row.number,
      part: row.part,
      filename: row.filename,
      contentType: row.content_type,
      sniffedType: row.sniffed_type,
      size: row.size,
      sha256: row.sha256,
      kind: row.kind,
      state: row.state as ShownAttachment["state"],
      view: viewOf(row),
      there: row.state !== "missing" && (await files.read(row.id).exists()),
    })),
  );
}

/** By its first bytes; those of text tell nothing, so that its name and type may say it. */
function viewOf({ sniffed_type, content_type, filename, kind, state }: StoredRow): ShownAttachment["view"] {
  if (state === "missing") return "none";
  if (sniffed_type !== null && imageTypes.has(sniffed_type)) return "image";
  if (sniffed_type !== null && videoTypes.has(sniffed_type)) return "video";
  if (sniffed_type !== null && !/^text\/|[/+](xml|json)$/.test(sniffed_type)) return "none";
  const isText = /^text\/|[/+](json|xml|yaml|x-ndjson|javascript)\b/.test(content_type ?? "");
  const named = /\.(log|txt|json|xml|ya?ml|csv|md|html?|svg|out|err|trace|ndjson)$/i.test(filename ?? "");
  return isText || named || kind === "log" || kind === "view_hierarchy" ? "text" : "none";
}
