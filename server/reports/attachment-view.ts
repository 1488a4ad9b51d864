import { type Reader, StoreUnavailable } from "../core/store.ts";
import type { AttachmentRow } from "../envelope/event-row.ts";
import { imageTypes, videoTypes } from "../files/shown-types.ts";
import { type AttachmentView, presentAttachment } from "../ingest/event-view.ts";
import { attachmentsOf } from "../ingest/show-event.ts";
import type { Files } from "../store/files.ts";

/** An attachment on the page of its report. */
export interface ShownAttachment extends AttachmentView {
  id: string;
  /** How the page can show the attachment; with `none` it can only be saved. */
  view: "image" | "video" | "text" | "none";
  /** Whether the file of the attachment is stored. */
  there: boolean;
}

export async function shownAttachmentsOf(store: Reader, files: Files, eventId: string): Promise<ShownAttachment[]> {
  return Promise.all(
    (await attachmentsOf(store, eventId)).map(async (row) => ({
      id: row.id,
      ...presentAttachment(row),
      view: viewOf(row),
      there: row.state !== "missing" && (await isThere(files, row.id)),
    })),
  );
}

/** How long the page of a report waits for storage that does not answer. */
const lookMilliseconds = 2_000;

/** Whether a file is stored. While storage does not answer, it is taken to be: opening the file tells then. */
async function isThere(files: Files, id: string): Promise<boolean> {
  const late = Promise.withResolvers<true>();
  const timer = setTimeout(late.resolve, lookMilliseconds, true);
  const found = files.find(id).then(
    (file) => file !== undefined,
    (error) => {
      if (error instanceof StoreUnavailable) return true;
      throw error;
    },
  );
  return Promise.race([found, late.promise]).finally(() => clearTimeout(timer));
}

/**
 * Decides how the page shows an attachment: by its first bytes, or by its name and media type when the attachment is
 * text.
 */
function viewOf({ sniffed_type, content_type, filename, kind, state }: AttachmentRow): ShownAttachment["view"] {
  if (state === "missing") return "none";
  if (sniffed_type !== null && imageTypes.has(sniffed_type)) return "image";
  if (sniffed_type !== null && videoTypes.has(sniffed_type)) return "video";
  if (sniffed_type !== null && !/^text\/|[/+](xml|json)$/.test(sniffed_type)) return "none";
  const isText = /^text\/|[/+](json|xml|yaml|x-ndjson|javascript)\b/.test(content_type ?? "");
  const named = /\.(log|txt|json|xml|ya?ml|csv|md|html?|svg|out|err|trace|ndjson)$/i.test(filename ?? "");
  return isText || named || kind === "log" || kind === "view_hierarchy" ? "text" : "none";
}
