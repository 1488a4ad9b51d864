import { Refusal } from "../core/context.ts";
import { type CommentInput, changeComment, isAuthor, setCommentStep } from "./change-comment.ts";
import { mentionsStep, requireCommentText } from "./comment-text.ts";

interface Edit extends CommentInput {
  text: string;
  mentions: readonly string[];
}

/**
 * Replaces the text of a comment, which only its author may do. The former text is gone; the entry tells the time of
 * the edit.
 */
export const editComment = changeComment<Edit>(function* (tx, ctx, input, { comment, now }) {
  if (!isAuthor(ctx, comment)) throw new Refusal("permission_denied", "Only its author can edit a comment.");
  const text = requireCommentText(input.text);
  if ("deleted" in comment.detail) throw new Refusal("conflict", "this comment is deleted; restore it first");
  // The call was repeated, or the text is the same: pages need not load it again.
  if (comment.detail.text === text) return false;
  const mentions = yield* mentionsStep(tx, input.mentions);
  yield* setCommentStep(tx, input, { text, mentions, editedAt: new Date(now).toISOString() });
  return true;
});
