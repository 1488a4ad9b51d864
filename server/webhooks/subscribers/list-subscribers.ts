import { type Context, requireAdmin } from "../../core/context.ts";
import { decodeCursor, type Page, type PageInput, pageOf } from "../../core/page.ts";
import type { Row } from "../../core/store.ts";
import { isThere } from "../messages/sealed-columns.ts";
import { listOf } from "./subscriber-fields.ts";

export interface SubscriberView {
  id: string;
  /** Null: every project. */
  projectId: string | null;
  url: string;
  types: string[];
  /** Empty: any. */
  reportTypes: string[];
  /** Names of its own headers; their values are never shown. */
  headers: string[];
  state: "active" | "paused" | "disabled";
  /** Why it is disabled. */
  reason: string | null;
  /** In a row, over all its deliveries. */
  failures: number;
  failingSince: string | null;
  lastSuccessAt: string | null;
  /** Deliveries that wait; no more than 10,000 are counted. */
  waiting: number;
  /** Until then the secret before the last rotation signs too. */
  previousUntil: string | null;
  createdAt: string;
}

interface SubscriberRow extends Row {
  id: string;
  project_id: string | null;
  url: string;
  event_types: string;
  report_types: string | null;
  header_names: string | null;
  state: SubscriberView["state"];
  reason: string | null;
  failures: number;
  failing_since: number | null;
  succeeded_at: number | null;
  waiting: number;
  previous_until: number | null;
  created_at: number;
}

const select = `select id, project_id, url, event_types, report_types, header_names, state, reason, failures,
  failing_since, succeeded_at, previous_until, created_at,
  (select cast(count(*) as integer) from
    (select 1 from delivery where subscriber_id = subscriber.id and state = 'waiting' limit 10000) counted) as waiting
  from subscriber`;

/** Oldest first. For admins: addresses of receivers are often secrets themselves. */
export async function listSubscribers({
  ctx,
  input,
}: {
  ctx: Context;
  input: PageInput & { projectId?: string | undefined };
}): Promise<Page<SubscriberView>> {
  requireAdmin(ctx);
  const [after = ""] = decodeCursor(input.cursor, ["string"]);
  const { projectId, limit } = input;
  const rows = await (projectId === undefined
    ? ctx.store.all<SubscriberRow>(`${select} where id > $1 and ${isThere("subscriber")} order by id limit $2`, [
        after,
        limit + 1,
      ])
    : ctx.store.all<SubscriberRow>(`${select} where project_id = $1 and id > $2 order by id limit $3`, [
        projectId,
        after,
        limit + 1,
      ]));
  const now = ctx.now();
  return pageOf(
    rows,
    limit,
    (row) => [row.id],
    (row) => present(row, now),
  );
}

function present(row: SubscriberRow, now: number): SubscriberView {
  const { previous_until } = row;
  return {
    id: row.id,
    projectId: row.project_id,
    url: row.url,
    types: listOf(row.event_types),
    reportTypes: listOf(row.report_types),
    headers: listOf(row.header_names),
    state: row.state,
    reason: row.reason,
    failures: row.failures,
    failingSince: moment(row.failing_since),
    lastSuccessAt: moment(row.succeeded_at),
    waiting: row.waiting,
    previousUntil: previous_until !== null && previous_until > now ? moment(previous_until) : null,
    createdAt: new Date(row.created_at).toISOString(),
  };
}

function moment(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}
