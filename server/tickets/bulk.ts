import type { ErrorCode } from "../../openapi/schema/errors.ts";
import { type Context, Refusal, requireMember } from "../core/context.ts";
import type { CardChange } from "./card-body.ts";
import { archiveCard, deleteCard, restoreCard, unarchiveCard } from "./card-lifecycle.ts";
import { moveCard } from "./move.ts";
import { updateCard } from "./update.ts";

type BulkChange =
  | { kind: "move"; columnId: string; after: null | "last" }
  | { kind: keyof typeof lifecycleChanges }
  | { kind: "set"; change: CardChange };

const lifecycleChanges = {
  archive: archiveCard,
  unarchive: unarchiveCard,
  delete: deleteCard,
  restore: restoreCard,
} as const;

/**
 * Makes one change to several cards, each by itself: a card that refuses the change is named in the answer and does not
 * stop the others.
 */
export async function changeCards({
  ctx,
  input: { ids, change },
}: {
  ctx: Context;
  input: { ids: readonly string[]; change: BulkChange };
}): Promise<{ done: string[]; failed: { id: string; error: ErrorCode; message: string }[] }> {
  requireMember(ctx);
  // Moves to the top run from the last card to the first, so that the cards stand there in their order.
  const inOrder = change.kind === "move" && change.after === null ? ids.toReversed() : ids;
  const outcomes = await Promise.all(
    inOrder.map(async (id) => {
      try {
        await changeOne(ctx, id, change);
        return { id };
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return { id, error: error.code, message: error.message };
      }
    }),
  );
  const failed = outcomes.flatMap((outcome) => (outcome.error === undefined ? [] : [outcome]));
  return { done: outcomes.flatMap(({ id, error }) => (error === undefined ? [id] : [])), failed };
}

function changeOne(ctx: Context, id: string, change: BulkChange): Promise<unknown> {
  if (change.kind === "move") return moveCard({ ctx, input: { id, columnId: change.columnId, after: change.after } });
  if (change.kind === "set") return updateCard({ ctx, input: { id, change: change.change } });
  return lifecycleChanges[change.kind]({ ctx, input: { id } });
}
