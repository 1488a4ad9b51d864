import { type ActivityEntry, entryStep } from "../activity/activity.ts";
import { type CardRow, cardStep } from "../activity/card.ts";
import { type Context, Refusal, requireMember } from "../core/context.ts";
import type { Step, Tx } from "../core/store.ts";
import type { CommentDetail, DeletedCommentDetail } from "./comment-text.ts";

/** A comment of a card, by the number of its entry in the card's activity. */
export interface CommentInput {
  id: string;
  number: number;
}

type CommentEntry = ActivityEntry & { detail: CommentDetail | DeletedCommentDetail };

/** A use case that changes one comment of a card that is not deleted; it returns the changed entry. */
export function changeComment<Input extends CommentInput>(
  step: (tx: Tx, ctx: Context, input: Input, found: { comment: CommentEntry; now: number }) => Step<boolean>,
) {
  return async ({ ctx, input }: { ctx: Context; input: Input }): Promise<ActivityEntry> => {
    requireMember(ctx);
    const now = ctx.now();
    const { entry, card, changed } = await ctx.store.write(function* (tx) {
      const card: CardRow = yield* cardStep(tx, input.id);
      if (card.deleted_at !== null) throw new Refusal("conflict", "this card is deleted; restore it first");
      const comment = yield* commentStep(tx, input);
      const changed = yield* step(tx, ctx, input, { comment, now });
      return { entry: yield* commentStep(tx, input), card, changed };
    });
    if (changed) ctx.changed?.({ kind: "card", id: input.id, in: card.board_id });
    return entry;
  };
}

function* commentStep(tx: Tx, { id, number }: CommentInput): Step<CommentEntry> {
  const entry = yield* entryStep(tx, id, number);
  if (entry?.kind !== "commented") throw new Refusal("not_found", "there is no such comment");
  return entry as CommentEntry;
}

/** Replaces the stored detail of a comment in the activity. */
export function* setCommentStep(
  tx: Tx,
  { id, number }: CommentInput,
  detail: CommentDetail | DeletedCommentDetail,
): Step<void> {
  yield* tx.run("update activity set detail = $3 where ticket_id = $1 and number = $2", [
    id,
    number,
    JSON.stringify(detail),
  ]);
}

export function isAuthor({ actor }: Context, comment: ActivityEntry): boolean {
  return actor.kind === "member" && comment.actor.kind === "member" && comment.actor.id === actor.id;
}
