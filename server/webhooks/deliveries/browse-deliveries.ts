import { isUuid } from "../../../openapi/check.ts";
import { type Context, Refusal, requireAdmin } from "../../core/context.ts";
import { isoTime } from "../../core/iso-time.ts";
import { decodeCursor, highest, InvalidCursor, lowest, type Page, type PageInput, pageOf } from "../../core/page.ts";
import type { AttemptRow, AttemptView } from "../attempts/attempt-view.ts";
import { isThere } from "../messages/sealed-columns.ts";
import {
  type DeliveryView,
  deliveryColumns,
  deliveryTables,
  presentDelivery,
  type ReadDeliveryRow,
  type Sending,
} from "./delivery-view.ts";

export const deliveryStates = ["waiting", "dead", "delivered"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

interface BrowsedDelivery extends DeliveryView {
  last: Pick<AttemptView, "at" | "status" | "error" | "ms"> | null;
}

/** With the last attempt, whose columns are null before the first one. */
type BrowsedRow = ReadDeliveryRow & {
  [Column in "at" | "status" | "error" | "milliseconds"]: AttemptRow[Column] | null;
};

const select = `select ${deliveryColumns}, a.at, a.status, a.error, a.milliseconds
  from ${deliveryTables} left join attempt a on a.delivery_id = d.id and a.number = d.attempts
  where d.subscriber_id in ($1)`;

/** Each query reads along an index of its own, so that a page costs the same among millions of deliveries. */
const orders = {
  attempted: { by: "created_at", where: "and (d.attempts > 0 or d.state <> 'waiting')", forward: false },
  held: { by: "next_at", where: "and d.state = 'waiting' and d.attempts = 0", forward: true },
  delivered: { by: "created_at", where: "and d.state = 'delivered'", forward: false },
  dead: { by: "ended_at", where: "and d.state = 'dead'", forward: false },
  waiting: { by: "next_at", where: "and d.state = 'waiting'", forward: true },
} as const;

/**
 * Lists deliveries for the page. Without a state, attempted ones come first, newest first, then those that were never
 * attempted. Waiting ones stand in the order in which they leave. `text` is the id of an event, a message or a
 * delivery.
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
  const subscriber = await ctx.store.one<Sending>(
    `select state, open_until from subscriber where id = $1 and ${isThere("subscriber")}`,
    [subscriberId],
  );
  if (!subscriber) throw new Refusal("not_found");
  if (text !== undefined) return { items: await found(ctx, subscriber, subscriberId, text), next: null };
  const [name, at, id] = decodeCursor(input.cursor, ["string", "number", "string"]);
  const order = (state === undefined ? (["attempted", "held"] as const) : [state]).find((one) => one === (name ?? one));
  if (!order) throw new InvalidCursor();
  const place = { at, id };
  const rows: BrowsedRow[] = [];
  if (order !== "held") rows.push(...(await ordered(ctx, subscriberId, { order, place, limit: limit + 1 })));
  if (state === undefined && rows.length <= limit) {
    const from = order === "held" ? place : {};
    rows.push(...(await ordered(ctx, subscriberId, { order: "held", place: from, limit: limit + 1 - rows.length })));
  }
  const orderOf = (row: BrowsedRow) => (state !== undefined ? state : isHeld(row) ? "held" : "attempted");
  return pageOf(
    rows,
    limit,
    (row) => [orderOf(row), row[orders[orderOf(row)].by] ?? 0, row.id],
    (row) => present(row, subscriber),
  );
}

function isHeld({ state, attempts }: BrowsedRow): boolean {
  return state === "waiting" && attempts === 0;
}

interface Ordered {
  order: keyof typeof orders;
  place: { at?: number | undefined; id?: string | undefined };
  limit: number;
}

async function ordered(ctx: Context, subscriberId: string, { order, place, limit }: Ordered): Promise<BrowsedRow[]> {
  const { by, where, forward } = orders[order];
  const { at = forward ? lowest : highest, id = forward ? "" : "g" } = place;
  const direction = forward ? "" : "desc";
  return ctx.store.all<BrowsedRow>(
    `${select} ${where} and (d.${by}, d.id) ${forward ? ">" : "<"} ($2, $3)
     order by d.${by} ${direction}, d.id ${direction} limit $4`,
    [subscriberId, at, id, limit],
  );
}

async function found(ctx: Context, subscriber: Sending, subscriberId: string, text: string) {
  const id = text.toLowerCase();
  if (!isUuid(id)) return [];
  const rows = await ctx.store.all<BrowsedRow>(
    `${select} and d.id in (select $2 union select id from delivery where message_id = $2
       union select x.id from delivery x join message y on y.id = x.message_id where y.event_id = $2)
     order by d.created_at desc, d.id desc limit 50`,
    [subscriberId, id],
  );
  return rows.map((row) => present(row, subscriber));
}

function present(row: BrowsedRow, subscriber: Sending): BrowsedDelivery {
  const { at, status, error, milliseconds: ms } = row;
  return { ...presentDelivery(row, subscriber), last: at === null ? null : { at: isoTime(at), status, error, ms } };
}
