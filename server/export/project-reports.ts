import { lowest } from "../core/page.ts";
import type { Reader } from "../core/store.ts";
import type { AttachmentRow, EventRow } from "../envelope/event-row.ts";
import { oneLine, withEnvelope } from "../envelope/one-line.ts";
import { presentAttachment, presentEvent } from "../ingest/event-view.ts";
import { attachmentsOf } from "../ingest/show-event.ts";
import type { Files } from "../store/files.ts";
import type { ExportFolder } from "./export-folder.ts";
import { ExportRefused } from "./export-refused.ts";

/** Reports that are read together, without their envelopes. */
const pageMax = 200;

/** Writes the reports of the project with their envelopes and attachments, in the order in which they were received. */
export async function exportReports(
  { store, files }: { store: Reader; files: Files },
  folder: ExportFolder,
  projectId: string,
  progress: (reports: number) => void,
): Promise<void> {
  const until = folder.progress.last.reports;
  let after = folder.progress.stages.reports.after as [number, string];
  let reports = folder.progress.files["reports.jsonl"].lines;
  for (;;) {
    const rows = await store.all<EventRow>(
      `select * from event where project_id = $1 and (received_at, id) > ($2, $3) and id <= $4
       order by received_at, id limit ${pageMax}`,
      [projectId, ...after, until],
    );
    for (const row of rows) {
      const line = await reportLine({ store, files }, folder, row);
      if (line !== undefined) await folder.line("reports.jsonl", line);
      after = [row.received_at, row.id];
      await folder.reached("reports", after);
      progress(++reports);
    }
    if (rows.length < pageMax) return;
  }
}

/** Where the stage begins. */
export const firstReport = [lowest, ""];

/** Undefined for a report that was deleted meanwhile. */
async function reportLine(
  { store, files }: { store: Reader; files: Files },
  folder: ExportFolder,
  row: EventRow,
): Promise<string | undefined> {
  const envelope = await store.one<{ bytes: Uint8Array }>("select bytes from envelope where event_id = $1", [row.id]);
  if (!envelope) return undefined;
  const attachments = [];
  for (const attachment of await attachmentsOf(store, row.id)) {
    const { id } = attachment;
    attachments.push({ id, ...presentAttachment(attachment), file: await copied(files, folder, attachment) });
  }
  const cards = await store.all<{ ticket_id: string }>(
    "select ticket_id from report_card where event_id = $1 order by ticket_id",
    [row.id],
  );
  const report = { ...presentEvent(row), ticketIds: cards.map(({ ticket_id }) => ticket_id), attachments };
  const text = oneLine(envelope.bytes);
  if (text === undefined) throw new ExportRefused(`the envelope of the report ${row.id} cannot be unpacked`);
  return withEnvelope(report, text);
}

async function copied(files: Files, folder: ExportFolder, row: AttachmentRow): Promise<string | null> {
  if (row.state === "missing") return null;
  const file = await files.find(row.id).catch((error: { message?: string }) => {
    throw new ExportRefused(
      `the attachment ${row.id} cannot be read (${error.message}); run the same command again: it goes on`,
    );
  });
  if (file) return folder.copy(row, file);
  folder.missing();
  return null;
}
