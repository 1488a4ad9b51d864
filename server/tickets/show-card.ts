import { limits } from "../../openapi/schema/limits.ts";
import { type ActivityEntry, type ActorView, activityPage } from "../activity/activity.ts";
import type { PlacedTicketRow } from "../activity/ticket-row.ts";
import { mayStartRuns } from "../agents/run-starters.ts";
import { type RunDetail, showRun } from "../agents/show-run.ts";
import { type Context, Refusal, requireMember } from "../core/context.ts";
import { fingerprintOf } from "../core/credential.ts";
import type { Page, PageInput } from "../core/page.ts";
import { readPublicUrl } from "../core/settings.ts";
import type { Reader, Row } from "../core/store.ts";
import { type CardSummary, timeOf } from "./card-summary.ts";
import { summaryOf } from "./list-cards.ts";

export interface CardDetail extends Omit<CardSummary, "run"> {
  description: string | null;
  /** Versions of title and description. */
  version: number;
  url: string;
  updatedAt: string;
  project: { id: string; name: string; archivedAt: string | null };
  board: { id: string; name: string; archivedAt: string | null };
  column: { id: string; name: string; category: string };
  /** The place among the cards of the column, from 1; null for a card off its board or too far down to be counted. */
  place: { index: number; of: number } | null;
  repository: { id: string; url: string; bound: boolean } | null;
  /** The receipt of a card that the API created: when it was stored and by which token. */
  receipt: Receipt | null;
  run: RunDetail | null;
  /** Newest first. */
  activity: ActivityEntry[];
  activityNext: string | null;
  deleted: { at: string; by: ActorView | null; restorableUntil: string } | null;
  mayStartRuns: boolean;
}

interface Receipt {
  at: string;
  token: { id: string; nameThen: string; nameNow: string; fingerprint: string; revokedAt: string | null };
  /** Present for admins only. */
  key: string | null;
  keySet: boolean;
  replays: number;
  mismatches: number;
}

const dayMilliseconds = 86_400_000;

/** Everything that a card's page shows. */
export async function showCard({ ctx, input: { id } }: { ctx: Context; input: { id: string } }): Promise<CardDetail> {
  requireMember(ctx);
  const { run, ...summary } = await summaryOf(ctx, id);
  const row = await ctx.store.one<DetailRow>(select, [id]);
  if (!row) throw new Refusal("not_found");
  const activity = await activityPage(ctx.store, id, { limit: limits.pageDefault });
  const publicUrl = await readPublicUrl(ctx.store, ctx.publicUrl);
  return {
    ...summary,
    description: row.description,
    version: row.version,
    url: `${publicUrl}/cards/${id}`,
    updatedAt: new Date(row.updated_at ?? row.created_at).toISOString(),
    project: { id: row.project_id, name: row.project_name, archivedAt: timeOf(row.project_archived_at) },
    board: { id: row.board_id, name: row.board_name, archivedAt: timeOf(row.board_archived_at) },
    column: { id: row.column_id, name: row.column_name, category: row.category },
    place: row.live === 1 ? await placeOf(ctx.store, row) : null,
    repository:
      row.repository_id === null ? null : { id: row.repository_id, url: row.url ?? "", bound: row.unbound_at === null },
    receipt: receiptOf(ctx, row),
    run: run && row.deleted_at === null ? await showRun({ ctx, input: { id: run.id } }) : null,
    activity: activity.items,
    activityNext: activity.next,
    deleted: row.deleted_at === null ? null : await deletedOf(ctx.store, id, row.deleted_at),
    mayStartRuns: await mayStartRuns(ctx.store, ctx),
  };
}

/** Earlier entries of the activity. */
export async function showActivity({
  ctx,
  input,
}: {
  ctx: Context;
  input: PageInput & { id: string };
}): Promise<Page<ActivityEntry>> {
  requireMember(ctx);
  await summaryOf(ctx, input.id);
  return activityPage(ctx.store, input.id, input);
}

/** What the page of a card shows besides the summary of the card. */
const rowColumns = [
  ...(["id", "description", "version", "created_at", "updated_at", "deleted_at", "live", "position"] as const),
  ...(["column_id", "repository_id", "token_id", "author_name", "idempotency_key", "replays", "mismatches"] as const),
];

type DetailRow = Pick<PlacedTicketRow, (typeof rowColumns)[number] | "board_id" | "project_id"> & {
  column_name: string;
  category: string;
  board_name: string;
  board_archived_at: number | null;
  project_name: string;
  project_archived_at: number | null;
  url: string | null;
  unbound_at: number | null;
  token_name: string | null;
  token_hash: string | null;
  token_revoked_at: number | null;
};

const select = `select ${rowColumns.map((column) => `t.${column}`).join(", ")},
    c.name as column_name, c.category, b.id as board_id, b.name as board_name,
    b.archived_at as board_archived_at, p.id as project_id, p.name as project_name,
    p.archived_at as project_archived_at, o.url, o.unbound_at,
    k.name as token_name, k.hash as token_hash, k.revoked_at as token_revoked_at
  from ticket t join board_column c on c.id = t.column_id join board b on b.id = c.board_id
    join project p on p.id = b.project_id left join repository o on o.id = t.repository_id
    left join api_token k on k.id = t.token_id
  where t.id = $1`;

/** Counted along the index, up to a limit. */
async function placeOf(store: Reader, { column_id, position, id }: DetailRow): Promise<CardDetail["place"]> {
  const above = await store.one<{ cards: number }>(
    `select count(*) as cards from (select 1 from ticket
       where column_id = $1 and live = 1 and (position, id) < ($2, $3) limit $4) counted`,
    [column_id, position, id, limits.countedCards],
  );
  const all = await store.one<{ cards: number }>(
    "select count(*) as cards from (select 1 from ticket where column_id = $1 and live = 1 limit $2) counted",
    [column_id, limits.countedCards],
  );
  if (!above || !all || above.cards >= limits.countedCards) return null;
  return { index: above.cards + 1, of: all.cards };
}

function receiptOf({ actor }: Context, row: DetailRow): Receipt | null {
  if (row.token_id === null) return null;
  const isAdmin = actor.kind === "operator" || (actor.kind === "member" && actor.role === "admin");
  return {
    at: new Date(row.created_at).toISOString(),
    token: {
      id: row.token_id,
      nameThen: row.author_name,
      nameNow: row.token_name ?? row.author_name,
      fingerprint: fingerprintOf(row.token_hash ?? ""),
      revokedAt: timeOf(row.token_revoked_at),
    },
    key: isAdmin ? row.idempotency_key : null,
    keySet: row.idempotency_key !== null,
    replays: row.replays,
    mismatches: row.mismatches,
  };
}

interface DeletedRow extends Row {
  actor_kind: ActorView["kind"];
  actor_id: string | null;
  actor_name: string;
}

async function deletedOf(store: Reader, id: string, at: number): Promise<CardDetail["deleted"]> {
  const by = await store.one<DeletedRow>(
    `select actor_kind, actor_id, actor_name from activity where ticket_id = $1 and kind = 'deleted'
     order by number desc limit 1`,
    [id],
  );
  return {
    at: new Date(at).toISOString(),
    by: by ? { kind: by.actor_kind, id: by.actor_id, name: by.actor_name } : null,
    restorableUntil: new Date(at + limits.restoreDays * dayMilliseconds).toISOString(),
  };
}
