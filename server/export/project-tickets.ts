import { fieldNames } from "../../openapi/schema/ticket-fields.ts";
import { type PlacedTicketRow, presentFields } from "../activity/ticket-row.ts";
import { publicRun } from "../agents/public-run.ts";
import type { RunRow } from "../agents/run.ts";
import { isoTime } from "../core/iso-time.ts";
import type { Reader, Row } from "../core/store.ts";
import type { ExportFolder } from "./export-folder.ts";

/** Tickets that are read together. */
const pageMax = 200;
/** Entries of the activity, and pieces of a log, that are read together. */
const rowsMax = 500;

type TicketRow = PlacedTicketRow & { column_name: string; board_name: string; assignee_name: string | null };

interface ActivityRow extends Row {
  ticket_id: string;
  number: number;
  at: number;
  actor_kind: string;
  actor_id: string | null;
  actor_name: string;
  kind: string;
  detail: string | null;
}

interface LogRow extends Row {
  number: number;
  attempt: number;
  at: number;
  text: string;
}

/** Writes the tickets of the project with their activity and runs, in the order of their ids. */
export async function exportTickets(
  store: Reader,
  folder: ExportFolder,
  { projectId, publicUrl }: { projectId: string; publicUrl: string },
  progress: (tickets: number) => void,
): Promise<void> {
  const until = folder.progress.last.tickets;
  let [after] = folder.progress.stages.tickets.after as [string];
  let tickets = folder.progress.files["tickets.jsonl"].lines;
  for (;;) {
    const rows = await store.all<TicketRow>(selectTickets, [projectId, after, until, pageMax]);
    for (const row of rows) {
      await folder.line("tickets.jsonl", JSON.stringify(ticketLine(row, publicUrl)));
      await exportActivity(store, folder, row.id);
      await exportRuns(store, folder, row.id);
      await folder.reached("tickets", [row.id]);
      after = row.id;
      progress(++tickets);
    }
    if (rows.length < pageMax) return;
  }
}

const selectTickets = `select t.*, c.board_id, b.project_id, c.name as column_name, b.name as board_name,
    m.name as assignee_name
  from board b join board_column c on c.board_id = b.id join ticket t on t.column_id = c.id
    left join member m on m.id = t.assignee_id
  where b.project_id = $1 and b.deleted_at is null and t.id > $2 and t.id <= $3 order by t.id limit $4`;

function ticketLine(row: TicketRow, publicUrl: string) {
  return {
    id: row.id,
    ...presentFields(row, fieldNames),
    boardName: row.board_name,
    columnName: row.column_name,
    position: row.position,
    assigneeName: row.assignee_name,
    author: row.author_name,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
    archivedAt: isoTime(row.archived_at),
    deletedAt: isoTime(row.deleted_at),
    url: `${publicUrl}/cards/${row.id}`,
  };
}

async function exportActivity(store: Reader, folder: ExportFolder, ticketId: string): Promise<void> {
  for (let after = 0; ; ) {
    const rows = await store.all<ActivityRow>(
      `select ticket_id, number, at, actor_kind, actor_id, actor_name, kind, detail from activity
       where ticket_id = $1 and number > $2 order by number limit ${rowsMax}`,
      [ticketId, after],
    );
    for (const row of rows) {
      const { number, at, kind, detail } = row;
      const actor = { kind: row.actor_kind, id: row.actor_id, name: row.actor_name };
      const entry = {
        ticketId,
        number,
        at: isoTime(at),
        actor,
        kind,
        detail: detail === null ? null : JSON.parse(detail),
      };
      await folder.line("activity.jsonl", JSON.stringify(entry));
      after = number;
    }
    if (rows.length < rowsMax) return;
  }
}

async function exportRuns(store: Reader, folder: ExportFolder, ticketId: string): Promise<void> {
  for (let after = ""; ; ) {
    const runs = await store.all<RunRow>(
      `select * from agent_run where ticket_id = $1 and id > $2 order by id limit ${rowsMax}`,
      [ticketId, after],
    );
    for (const run of runs) {
      await folder.line("runs.jsonl", JSON.stringify(publicRun(run)));
      if (run.log_kept > 0) await exportLog(store, folder, run.id);
      after = run.id;
    }
    if (runs.length < rowsMax) return;
  }
}

async function exportLog(store: Reader, folder: ExportFolder, runId: string): Promise<void> {
  for (let after = -1; ; ) {
    const rows = await store.all<LogRow>(
      "select number, attempt, at, text from run_log where run_id = $1 and number > $2 order by number limit 20",
      [runId, after],
    );
    for (const { number, attempt, at, text } of rows) {
      await folder.line("run-logs.jsonl", JSON.stringify({ runId, number, attempt, at: isoTime(at), text }));
      after = number;
    }
    if (rows.length < 20) return;
  }
}
