import { type Context, Refusal, requireMember } from "../core/context.ts";
import type { Reader } from "../core/store.ts";
import type { AttachmentRow } from "../envelope/event-row.ts";
import type { Files, KeptFile } from "../store/files.ts";

type FileRow = Pick<AttachmentRow, "number" | "filename" | "content_type" | "sniffed_type">;

interface AttachmentFile {
  file: KeptFile;
  filename: string;
  contentType: string;
  sniffedType: string | null;
}

/** Returns an attachment by its own id, for pages that show or save it. */
export async function attachmentFile({
  ctx,
  files,
  input: { id },
}: {
  ctx: Context;
  files: Files;
  input: { id: string };
}): Promise<AttachmentFile> {
  requireMember(ctx);
  return fileOf(ctx.store, files, id);
}

/** Returns the file of an attachment; refused when it did not come or is stored no longer. */
async function fileOf(store: Reader, files: Files, id: string): Promise<AttachmentFile> {
  const row = await store.one<FileRow>(
    `select a.number, a.filename, a.content_type, a.sniffed_type from attachment a
     join event e on e.id = a.event_id join project p on p.id = e.project_id
     where a.id = $1 and a.state <> 'missing' and p.deleted_at is null`,
    [id],
  );
  const file = row && (await files.find(id));
  if (!file) throw new Refusal("not_found");
  return {
    file,
    filename: row.filename ?? `attachment-${row.number}`,
    contentType: row.content_type ?? "application/octet-stream",
    sniffedType: row.sniffed_type,
  };
}
