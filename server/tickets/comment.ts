import { type ActivityEntry, activityStep, entryStep, newestStep } from "../activity/activity.ts";
import { cardStep } from "../activity/card.ts";
import { type Context, Refusal, requireMember } from "../core/context.ts";
import { mentionsStep, requireCommentText } from "./comment-text.ts";
import { findCompletedStep, rememberCompletedStep } from "./idempotent-op.ts";

interface Comment {
  id: string;
  op: string;
  text: string;
  /** Members that the text names. */
  mentions: readonly string[];
}

/** Writes a comment, which is an entry of the card's activity. */
export async function commentCard({ ctx, input }: { ctx: Context; input: Comment }): Promise<ActivityEntry> {
  requireMember(ctx);
  const { id, op } = input;
  const text = requireCommentText(input.text);
  const now = ctx.now();
  const { entry, boardId } = await ctx.store.write(function* (tx) {
    const card = yield* cardStep(tx, id);
    if (card.deleted_at !== null) throw new Refusal("conflict", "this card is deleted; restore it first");
    const done = yield* findCompletedStep(tx, ctx, op);
    const earlier = done && done.number !== null ? yield* entryStep(tx, done.ticketId, done.number) : undefined;
    if (earlier) return { entry: earlier };
    const mentions = yield* mentionsStep(tx, input.mentions);
    yield* activityStep(tx, id, { at: now, actor: ctx.actor, kind: "commented", detail: { text, mentions } });
    const entry = yield* newestStep(tx, id);
    yield* rememberCompletedStep(tx, ctx, { op, ticketId: id, number: entry.number, now });
    return { entry, boardId: card.board_id };
  });
  if (boardId !== undefined) ctx.changed?.({ kind: "card", id, in: boardId });
  return entry;
}
