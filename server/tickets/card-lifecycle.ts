import { limits } from "../../openapi/schema/limits.ts";
import { activityStep } from "../activity/activity.ts";
import { type CardRow, cardStep, liveCardStep } from "../activity/card.ts";
import { cancelRunStep } from "../agents/cancel-run.ts";
import { type Context, Refusal, requireMember } from "../core/context.ts";
import type { Step, Tx } from "../core/store.ts";
import type { CardSummary } from "./card-summary.ts";
import { summaryOf } from "./list-cards.ts";

const dayMilliseconds = 86_400_000;

/** Archives a card: it leaves its board and is kept; its link still works. */
export const archiveCard = change(function* (tx, ctx, id, now) {
  const card = yield* liveCardStep(tx, id);
  yield* tx.run("update ticket set archived_at = $2, live = 0, updated_at = $2 where id = $1", [id, now]);
  yield* activityStep(tx, id, { at: now, actor: ctx.actor, kind: "archived" });
  return { card, runs: [] };
});

/** Restores an archived card to its former place. */
export const unarchiveCard = change(function* (tx, ctx, id, now) {
  const card = yield* cardStep(tx, id);
  if (card.deleted_at !== null) throw new Refusal("conflict", "this card is deleted; restore it first");
  if (card.archived_at === null) throw new Refusal("conflict", "this card is not archived");
  yield* tx.run("update ticket set archived_at = null, live = 1, updated_at = $2 where id = $1", [id, now]);
  yield* activityStep(tx, id, { at: now, actor: ctx.actor, kind: "unarchived" });
  return { card, runs: [] };
});

/**
 * Deletes a card: it leaves every list and can be restored for some days. A key bound to it still replays the first
 * answer.
 */
export const deleteCard = change(function* (tx, ctx, id, now) {
  const card = yield* cardStep(tx, id);
  if (card.deleted_at !== null) throw new Refusal("conflict", "this card is deleted already");
  const runs = yield* cancelRunStep(tx, { ticketId: id, actor: ctx.actor }, { now, newId: ctx.newId });
  yield* tx.run("update ticket set deleted_at = $2, live = 0, updated_at = $2 where id = $1", [id, now]);
  yield* activityStep(tx, id, { at: now, actor: ctx.actor, kind: "deleted" });
  return { card, runs };
});

/** Restores a deleted card; one that was archived before is archived again. */
export const restoreCard = change(function* (tx, ctx, id, now) {
  const card = yield* cardStep(tx, id);
  if (card.deleted_at === null) throw new Refusal("conflict", "this card is not deleted");
  if (card.deleted_at <= now - limits.restoreDays * dayMilliseconds) throw new Refusal("not_found");
  yield* tx.run(
    `update ticket set deleted_at = null, live = case when archived_at is null then 1 else 0 end, updated_at = $2
     where id = $1`,
    [id, now],
  );
  yield* activityStep(tx, id, { at: now, actor: ctx.actor, kind: "restored" });
  return { card, runs: [] };
});

function change(step: (tx: Tx, ctx: Context, id: string, now: number) => Step<{ card: CardRow; runs: string[] }>) {
  return async ({ ctx, input: { id } }: { ctx: Context; input: { id: string } }): Promise<CardSummary> => {
    requireMember(ctx);
    const now = ctx.now();
    const { card, runs } = await ctx.store.write((tx) => step(tx, ctx, id, now));
    ctx.changed?.({ kind: "card", id, in: card.board_id });
    for (const run of runs) ctx.changed?.({ kind: "run", id: run, in: card.board_id });
    return summaryOf(ctx, id);
  };
}
