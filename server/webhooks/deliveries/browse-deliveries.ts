import { isUuid } from "../../../openapi/check.ts";
import { type Context, Refusal, requireAdmin } from "../../core/context.ts";
import { decodeCursor, highest, InvalidCursor, lowest, type Page, type PageInput, pageOf } from "../../core/page.ts";
import type { Row } from "../../core/store.ts";
import { isThere } from "../messages/sealed-columns.ts";

export const deliveryStates = ["waiting", "dead", "delivered"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

interface BrowsedDelivery {
  id: string;
  /** `webhook-id` at every attempt. */
  messageId: string;
  type: string;
  /** Null when it tells of something else than a report. */
  eventId: string | null;
  title: string | null;
  state: "waiting" | "leased" | "delivered" | "dead";
  createdAt: string;
  endedAt: string | null;
  /** At the earliest; null once it has ended, and while nothing is sent to the subscriber. */
  nextAt: string | null;
  /** Of the present run through the schedule. */
  tries: number;
  last: { at: string; status: number | null; error: string | null; ms: number | null } | null;
}

interface DeliveryRow extends Row {
  id: string;
  message_id: string;
  type: string;
  event_id: string | null;
  title: string | null;
  state: BrowsedDelivery["state"];
  created_at: number;
  ended_at: number | null;
  next_at: number;
  tries: number;
  attempts: number;
  at: number | null;
  status: number | null;
  error: string | null;
  milliseconds: number | null;
}

interface SubscriberRow extends Row {
  state: string;
  open_until: number | null;
}

const select = `select d.id, d.message_id, m.type, m.event_id, e.title, d.state, d.created_at, d.ended_at, d.next_at,
    d.tries, d.attempts, a.at, a.status, a.error, a.milliseconds
  from delivery d join message m on m.id = d.message_id left join event e on e.id = m.event_id
    left join attempt a on a.delivery_id = d.id and a.number = d.attempts
  where d.subscriber_id in ($1)`;

/** Each along an index of its own, so that a page costs the same among millions. */
const orders = {
  attempted: { by: "created_at", where: "and (d.attempts > 0 or d.state <> 'waiting')", forward: false },
  held: { by: "next_at", where: "and d.state = 'waiting' and d.attempts = 0", forward: true },
  delivered: { by: "created_at", where: "and d.state = 'delivered'", forward: false },
  dead: { by: "ended_at", where: "and d.state = 'dead'", forward: false },
  waiting: { by: "next_at", where: "and d.state = 'waiting'", forward: true },
} as const;

/**
 * For people. Without a state: what was attempted, newest first, and after it what was never attempted; that and what
 * waits stand in the order in which they leave. `text` is the id of an event, of a message or of a delivery.
 */
export async function browseDeliveries({
  ctx,
  input,
}: {
  ctx: Context;
  input: PageInput & { subscriberId: string; state?: DeliveryState | undefined; text?: string | undefined };
}): Promise<Page<BrowsedDelivery>> {
  requireAdmin(ctx);
  const { subscriberId, limit, text, state } = input;
  const subscriber = await ctx.store.one<SubscriberRow>(
    `select state, open_until from subscriber where id = $1 and ${isThere("subscriber")}`,
    [subscriberId],
  );
  if (!subscriber) throw new Refusal("not_found");
  if (text !== undefined) return { items: await found(ctx, subscriber, subscriberId, text), next: null };
  const [name, at, id] = decodeCursor(input.cursor, ["string", "number", "string"]);
  const order = (state === undefined ? (["attempted", "held"] as const) : [state]).find((one) => one === (name ?? one));
  if (!order) throw new InvalidCursor();
  const place = { at, id };
  const rows: DeliveryRow[] = [];
  if (order !== "held") rows.push(...(await ordered(ctx, subscriberId, { order, place, limit: limit + 1 })));
  if (state === undefined && rows.length <= limit) {
    const from = order === "held" ? place : {};
    rows.push(...(await ordered(ctx, subscriberId, { order: "held", place: from, limit: limit + 1 - rows.length })));
  }
  const orderOf = (row: DeliveryRow) => (state !== undefined ? state : isHeld(row) ? "held" : "attempted");
  return pageOf(
    rows,
    limit,
    (row) => [orderOf(row), row[orders[orderOf(row)].by] ?? 0, row.id],
    (row) => present(row, subscriber),
  );
}

function isHeld({ state, attempts }: DeliveryRow): boolean {
  return state === "waiting" && attempts === 0;
}

interface Ordered {
  order: keyof typeof orders;
  place: { at?: number | undefined; id?: string | undefined };
  limit: number;
}

async function ordered(ctx: Context, subscriberId: string, { order, place, limit }: Ordered): Promise<DeliveryRow[]> {
  const { by, where, forward } = orders[order];
  const { at = forward ? lowest : highest, id = forward ? "" : "g" } = place;
  const direction = forward ? "" : "desc";
  return ctx.store.all<DeliveryRow>(
    `${select} ${where} and (d.${by}, d.id) ${forward ? ">" : "<"} ($2, $3)
     order by d.${by} ${direction}, d.id ${direction} limit $4`,
    [subscriberId, at, id, limit],
  );
}

async function found(ctx: Context, subscriber: SubscriberRow, subscriberId: string, text: string) {
  const id = text.toLowerCase();
  if (!isUuid(id)) return [];
  const rows = await ctx.store.all<DeliveryRow>(
    `${select} and d.id in (select $2 union select id from delivery where message_id = $2
       union select x.id from delivery x join message y on y.id = x.message_id where y.event_id = $2)
     order by d.created_at desc limit 50`,
    [subscriberId, id],
  );
  return rows.map((row) => present(row, subscriber));
}

function present(row: DeliveryRow, subscriber: SubscriberRow): BrowsedDelivery {
  return {
    id: row.id,
    messageId: row.message_id,
    type: row.type,
    eventId: row.event_id,
    title: row.title,
    state: row.state,
    createdAt: new Date(row.created_at).toISOString(),
    endedAt: row.ended_at === null ? null : new Date(row.ended_at).toISOString(),
    nextAt: nextOf(row, subscriber),
    tries: row.tries,
    last:
      row.at === null
        ? null
        : { at: new Date(row.at).toISOString(), status: row.status, error: row.error, ms: row.milliseconds },
  };
}

export function nextOf(
  { state, next_at }: { state: string; next_at: number },
  subscriber: { state: string; open_until: number | null },
): string | null {
  if (state !== "waiting" || subscriber.state !== "active") return null;
  return new Date(Math.max(next_at, subscriber.open_until ?? 0)).toISOString();
}
