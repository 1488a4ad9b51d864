import { type Context, Refusal, requireAdmin } from "../../core/context.ts";
import { decodeCursor, highest, type Page, type PageInput, pageOf } from "../../core/page.ts";
import type { Row } from "../../core/store.ts";

interface AttemptView {
  at: string;
  status?: number;
  /** From a closed list; absent when it was accepted. */
  error?: string;
  /** Why nothing was sent, in words; absent where something was. */
  detail?: string;
  /** Null when nobody knows: whoever made it did not live to tell. */
  ms: number | null;
  /** The beginning of the answer's body. */
  answer?: string;
}

export interface DeliveryView {
  id: string;
  /** Null when it tells of something else than a report. */
  eventId: string | null;
  state: "waiting" | "leased" | "delivered" | "dead";
  createdAt: string;
  /** At the earliest; absent while nothing is sent to the subscriber. */
  nextAttemptAt?: string;
  /** Oldest first. */
  attempts: AttemptView[];
}

interface SubscriberRow extends Row {
  state: string;
  open_until: number | null;
}

interface DeliveryRow extends Row {
  id: string;
  event_id: string | null;
  state: DeliveryView["state"];
  created_at: number;
  next_at: number;
}

interface AttemptRow extends Row {
  delivery_id: string;
  at: number;
  status: number | null;
  error: string | null;
  detail: string | null;
  milliseconds: number | null;
  answer: string | null;
}

/** Newest first, ended ones too until they are let go of. For admins: answers are the receiver's affair. */
export async function listDeliveries({
  ctx,
  input,
}: {
  ctx: Context;
  input: PageInput & { subscriberId: string };
}): Promise<Page<DeliveryView>> {
  requireAdmin(ctx);
  const { subscriberId, limit } = input;
  const subscriber = await ctx.store.one<SubscriberRow>("select state, open_until from subscriber where id = $1", [
    subscriberId,
  ]);
  if (!subscriber) throw new Refusal("not_found", `there is no subscriber ${subscriberId}`);
  const [at = highest, id = ""] = decodeCursor(input.cursor, ["number", "string"]);
  const rows = await ctx.store.all<DeliveryRow>(
    `select delivery.id, event_id, state, created_at, next_at from delivery join message on message.id = message_id
     where subscriber_id in ($1) and (created_at, delivery.id) < ($2, $3)
     order by created_at desc, delivery.id desc limit $4`,
    [subscriberId, at, id, limit + 1],
  );
  const attempts = await attemptsOf(ctx, subscriberId, rows);
  return pageOf(
    rows,
    limit,
    (row) => [row.created_at, row.id],
    (row) => present(row, subscriber, attempts.get(row.id) ?? []),
  );
}

async function attemptsOf(
  ctx: Context,
  subscriberId: string,
  rows: readonly DeliveryRow[],
): Promise<Map<string, AttemptRow[]>> {
  const [newest, oldest] = [rows[0], rows.at(-1)];
  if (!newest || !oldest) return new Map();
  const attempts = await ctx.store.all<AttemptRow>(
    `select delivery_id, at, status, error, detail, milliseconds, answer
     from delivery join attempt on delivery_id = delivery.id
     where subscriber_id in ($1) and (created_at, id) >= ($2, $3) and (created_at, id) <= ($4, $5)
     order by delivery_id, number`,
    [subscriberId, oldest.created_at, oldest.id, newest.created_at, newest.id],
  );
  return Map.groupBy(attempts, ({ delivery_id }) => delivery_id);
}

function present(
  row: DeliveryRow,
  { state, open_until }: SubscriberRow,
  attempts: readonly AttemptRow[],
): DeliveryView {
  const next = row.state === "waiting" && state === "active" ? Math.max(row.next_at, open_until ?? 0) : undefined;
  return {
    id: row.id,
    eventId: row.event_id,
    state: row.state,
    createdAt: new Date(row.created_at).toISOString(),
    ...(next === undefined ? {} : { nextAttemptAt: new Date(next).toISOString() }),
    attempts: attempts.map(({ at, status, error, detail, milliseconds, answer }) => ({
      at: new Date(at).toISOString(),
      ...(status === null ? {} : { status }),
      ...(error === null ? {} : { error }),
      ...(detail === null ? {} : { detail }),
      ms: milliseconds,
      ...(answer === null ? {} : { answer }),
    })),
  };
}
