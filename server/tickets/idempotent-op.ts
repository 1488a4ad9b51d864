import { type Context, Refusal } from "../core/context.ts";
import type { Row, Step, Tx } from "../core/store.ts";

interface OpRow extends Row {
  member_id: string;
  ticket_id: string;
  number: number | null;
}

/** How long the `op` of a change is remembered; no page sends a change again later than this. */
export const opDays = 7;

/** Finds the ticket of a change that was made before: a page that did not receive the answer sends the change again. */
export function* findCompletedStep(
  tx: Tx,
  ctx: Context,
  op: string,
): Step<{ ticketId: string; number: number | null } | undefined> {
  const done = yield* tx.one<OpRow>("select member_id, ticket_id, number from card_op where op = $1", [op]);
  if (!done) return undefined;
  if (done.member_id !== memberOf(ctx)) throw new Refusal("conflict", "this op was used already");
  return { ticketId: done.ticket_id, number: done.number };
}

export function* rememberCompletedStep(
  tx: Tx,
  ctx: Context,
  { op, ticketId, number = null, now }: { op: string; ticketId: string; number?: number | null; now: number },
): Step<void> {
  yield* tx.run("insert into card_op (op, member_id, ticket_id, number, at) values ($1, $2, $3, $4, $5)", [
    op,
    memberOf(ctx),
    ticketId,
    number,
    now,
  ]);
}

function memberOf({ actor }: Context): string {
  return actor.kind === "operator" ? "" : actor.id;
}
