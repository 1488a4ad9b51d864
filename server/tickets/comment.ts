import { isPlain, longerThan } from "../../openapi/check.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { type Context, Refusal, requireMember } from "../access/context.ts";
import { type ActivityEntry, activityStep, entryStep, newestStep } from "./activity.ts";
import { cardStep } from "./card.ts";
import { assigneeStep } from "./insert.ts";
import { doneStep, rememberStep } from "./op.ts";

interface Comment {
  id: string;
  op: string;
  text: string;
  /** Members that the text names; tokens cannot be. */
  mentions: readonly string[];
}

/** A comment is an entry of the card's activity. It is kept as it is typed. */
export async function commentCard({ ctx, input }: { ctx: Context; input: Comment }): Promise<ActivityEntry> {
  requireMember(ctx);
  const { id, op, text } = input;
  if (text.trim() === "" || longerThan(text, limits.commentMax) || !isPlain(text)) {
    const most = limits.commentMax.toLocaleString("en");
    throw new Refusal("invalid_input", `a comment has 1 to ${most} characters, not only blanks, none of them U+0000`);
  }
  const now = ctx.now();
  const { entry, boardId } = await ctx.store.write(function* (tx) {
    const card = yield* cardStep(tx, id);
    if (card.deleted_at !== null) throw new Refusal("conflict", "this card is deleted; restore it first");
    const done = yield* doneStep(tx, ctx, op);
    const earlier = done && done.number !== null ? yield* entryStep(tx, done.ticketId, done.number) : undefined;
    if (earlier) return { entry: earlier };
    const mentions = [];
    for (const member of new Set(input.mentions)) {
      const { id, name } = yield* assigneeStep(tx, member);
      mentions.push({ id, name });
    }
    yield* activityStep(tx, id, { at: now, actor: ctx.actor, kind: "commented", detail: { text, mentions } });
    const entry = yield* newestStep(tx, id);
    yield* rememberStep(tx, ctx, { op, ticketId: id, number: entry.number, now });
    return { entry, boardId: card.board_id };
  });
  if (boardId !== undefined) ctx.changed?.({ kind: "card", id, in: boardId });
  return entry;
}
