import { type Context, Refusal, requireAdmin } from "../../core/context.ts";
import { decodeCursor, highest, type Page, type PageInput, pageOf } from "../../core/page.ts";
import { withoutNulls } from "../../core/without-nulls.ts";
import { type AttemptRow, type AttemptView, attemptColumns, presentAttempt } from "../attempts/attempt-view.ts";
import {
  type DeliveryView,
  deliveryColumns,
  deliveryTables,
  presentDelivery,
  type ReadDeliveryRow,
  type Sending,
} from "./delivery-view.ts";

/**
 * Members that are null in the view are absent here, except the duration of an attempt, where null says that nobody
 * knows it.
 */
export interface ListedAttempt extends Pick<AttemptView, "at" | "ms"> {
  status?: number;
  error?: string;
  detail?: string;
  answer?: string;
}

export interface ListedDelivery extends Pick<DeliveryView, "id" | "eventId" | "state" | "createdAt"> {
  /** The earliest time of the next attempt; absent while nothing is sent to the subscriber. */
  nextAttemptAt?: string;
  /** Oldest first. */
  attempts: ListedAttempt[];
}

/**
 * Lists deliveries for the command line, newest first, ended ones until they are deleted for their age. For admins
 * only, because answers may hold a receiver's secrets.
 */
export async function listDeliveries({
  ctx,
  input,
}: {
  ctx: Context;
  input: PageInput & { subscriberId: string };
}): Promise<Page<ListedDelivery>> {
  requireAdmin(ctx);
  const { subscriberId, limit } = input;
  const subscriber = await ctx.store.one<Sending>("select state, open_until from subscriber where id = $1", [
    subscriberId,
  ]);
  if (!subscriber) throw new Refusal("not_found", `there is no subscriber ${subscriberId}`);
  const [at = highest, id = ""] = decodeCursor(input.cursor, ["number", "string"]);
  const rows = await ctx.store.all<ReadDeliveryRow>(
    `select ${deliveryColumns} from ${deliveryTables}
     where d.subscriber_id in ($1) and (d.created_at, d.id) < ($2, $3)
     order by d.created_at desc, d.id desc limit $4`,
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
  rows: readonly ReadDeliveryRow[],
): Promise<Map<string, AttemptRow[]>> {
  const [newest, oldest] = [rows[0], rows.at(-1)];
  if (!newest || !oldest) return new Map();
  const attempts = await ctx.store.all<AttemptRow>(
    `select a.delivery_id, ${attemptColumns}, a.answer from delivery d join attempt a on a.delivery_id = d.id
     where d.subscriber_id in ($1) and (d.created_at, d.id) >= ($2, $3) and (d.created_at, d.id) <= ($4, $5)
     order by a.delivery_id, a.number`,
    [subscriberId, oldest.created_at, oldest.id, newest.created_at, newest.id],
  );
  return Map.groupBy(attempts, ({ delivery_id }) => delivery_id);
}

function present(row: ReadDeliveryRow, subscriber: Sending, attempts: readonly AttemptRow[]): ListedDelivery {
  const { id, eventId, state, createdAt, nextAt: nextAttemptAt } = presentDelivery(row, subscriber);
  return {
    ...{ id, eventId, state, createdAt, ...withoutNulls({ nextAttemptAt }) },
    attempts: attempts.map((attempt) => {
      const { at, status, error, detail, ms, answer } = presentAttempt(attempt);
      return { at, ...withoutNulls({ status, error, detail }), ms, ...withoutNulls({ answer }) };
    }),
  };
}
