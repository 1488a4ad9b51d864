import type { Level } from "../../openapi/schema/ingest.ts";
import { isoTime } from "../core/iso-time.ts";
import type { Reader } from "../core/store.ts";
import type { EventRow } from "../envelope/event-row.ts";
import { tagsOf } from "../ingest/event-view.ts";
import type { Facts } from "./row-matches-query.ts";

/** A report in a list. */
export interface ReportRow {
  id: string;
  title: string | null;
  level: Level | null;
  type: string | null;
  environment: string | null;
  release: string | null;
  receivedAt: string;
  /** How often the report was received: once, plus its repeats. */
  received: number;
  warnings: number;
  /** Number of attachments that came. */
  attachments: number;
}

/** The columns of an event that a search reads to decide whether the report matches, and to list it. */
export type ScannedRow = Pick<
  EventRow,
  | ("id" | "key_id" | "title" | "level" | "type" | "environment" | "release" | "user_id" | "user_email")
  | ("tags" | "warnings" | "received_at" | "repeat_count")
> & { attachments: number; undelivered: number };

/**
 * `$5` is 1 when the query asks for attachments, `$6` when it asks for undelivered reports: the columns are computed
 * only then.
 */
export const scannedColumns = `e.id, e.key_id, e.title, e.level, e.type, e.environment, e.release, e.user_id,
  e.user_email, e.tags, e.warnings, e.received_at, e.repeat_count,
  case when $5 = 1
    then (select count(*) from attachment a where a.event_id = e.id and a.state <> 'missing') else 0 end as attachments,
  case when $6 = 1 and e.delivery_count > 0 and exists (
    select 1 from message m join delivery d on d.message_id = m.id where m.event_id = e.id and d.state <> 'delivered'
  ) then 1 else 0 end as undelivered`;

export function factsOf(row: ScannedRow): Facts {
  return {
    level: row.level,
    type: row.type,
    environment: row.environment,
    release: row.release,
    userId: row.user_id,
    userEmail: row.user_email,
    keyId: row.key_id,
    tags: () => tagsOf(row),
    attachments: row.attachments,
    warned: row.warnings !== null,
    repeated: row.repeat_count > 0,
    undelivered: row.undelivered === 1,
  };
}

export async function presentRow(store: Reader, row: ScannedRow): Promise<ReportRow> {
  const counted = await store.one<{ count: number }>(
    "select count(*) as count from attachment where event_id in ($1) and state <> 'missing'",
    [row.id],
  );
  return {
    id: row.id,
    title: row.title,
    level: row.level as Level | null,
    type: row.type,
    environment: row.environment,
    release: row.release,
    receivedAt: isoTime(row.received_at),
    received: 1 + row.repeat_count,
    warnings: row.warnings === null ? 0 : (JSON.parse(row.warnings) as unknown[]).length,
    attachments: counted?.count ?? 0,
  };
}
