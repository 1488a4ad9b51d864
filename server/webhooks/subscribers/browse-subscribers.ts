import { type Context, requireMember } from "../../core/context.ts";
import { decodeCursor, type Page, type PageInput, pageOf } from "../../core/page.ts";
import type { Row } from "../../core/store.ts";
import { isThere } from "../messages/sealed-columns.ts";
import { type Hour, hourlyOutcomesOf } from "./hourly-outcomes.ts";
import { listOf } from "./subscriber-fields.ts";
import { type SubscriberStatus, subscriberStatusOf } from "./subscriber-status.ts";

export interface BrowsedSubscriber {
  id: string;
  /** Its own, or the host that it is at. */
  name: string;
  host: string;
  /** Null: every project. */
  projectId: string | null;
  projectName: string | null;
  fares: SubscriberStatus;
  /** For admins: a path may be a secret, and the rest is their affair. */
  more?: {
    url: string;
    types: string[];
    reportTypes: string[];
    /** Why it is disabled. */
    reason: string | null;
    lastSuccessAt: string | null;
    /** Deliveries in these states; 10,001 stands for more than 10,000. */
    waiting: number;
    dead: number;
    hours: Hour[];
  };
}

export interface BrowsedSubscriberRow extends Row {
  id: string;
  name: string | null;
  url: string;
  project_id: string | null;
  project_name: string | null;
  event_types: string;
  report_types: string | null;
  state: string;
  reason: string | null;
  failures: number;
  open_until: number | null;
  succeeded_at: number | null;
  waiting: number;
  dead: number;
}

/** As far as people count. */
export const countedMax = 10_000;
const countOf = (state: string) =>
  `(select cast(count(*) as integer) from
     (select 1 from delivery where subscriber_id = s.id and state = '${state}' limit ${countedMax + 1}) counted)`;

export const browsedColumns = `s.id, s.name, s.url, s.project_id, p.name as project_name, s.event_types, s.report_types,
  s.state, s.reason, s.failures, s.open_until, s.succeeded_at,
  ${countOf("waiting")} as waiting, ${countOf("dead")} as dead`;

/** For people, oldest first: everybody sees that a subscriber is there and how it fares, admins the rest too. */
export async function browseSubscribers({
  ctx,
  input,
}: {
  ctx: Context;
  input: PageInput;
}): Promise<Page<BrowsedSubscriber>> {
  requireMember(ctx);
  const [after = ""] = decodeCursor(input.cursor, ["string"]);
  const rows = await ctx.store.all<BrowsedSubscriberRow>(
    `select ${browsedColumns} from subscriber s left join project p on p.id = s.project_id
     where s.id > $1 and ${isThere("s")} order by s.id limit $2`,
    [after, input.limit + 1],
  );
  const page = pageOf(
    rows,
    input.limit,
    (row) => [row.id],
    (row) => row,
  );
  return { items: await Promise.all(page.items.map((row) => present(ctx, row))), next: page.next };
}

async function present(ctx: Context, row: BrowsedSubscriberRow): Promise<BrowsedSubscriber> {
  const { actor } = ctx;
  const shown = shownToAll(row, ctx.now());
  if (actor.kind === "member" && actor.role !== "admin") return shown;
  const hours = await hourlyOutcomesOf(ctx.store, row.id, ctx.now());
  return { ...shown, more: { ...moreOf(row), hours } };
}

export function shownToAll(row: BrowsedSubscriberRow, now: number): Omit<BrowsedSubscriber, "more"> {
  const { host } = new URL(row.url);
  return {
    id: row.id,
    name: row.name ?? host,
    host,
    projectId: row.project_id,
    projectName: row.project_name,
    fares: subscriberStatusOf(row, now),
  };
}

export function moreOf(row: BrowsedSubscriberRow) {
  return {
    url: row.url,
    types: listOf(row.event_types),
    reportTypes: listOf(row.report_types),
    reason: row.reason,
    lastSuccessAt: row.succeeded_at === null ? null : new Date(row.succeeded_at).toISOString(),
    waiting: row.waiting,
    dead: row.dead,
  };
}
