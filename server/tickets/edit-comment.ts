import { Refusal } from "../core/context.ts";
import { type CommentInput, changeComment, isAuthor, setCommentStep } from "./change-comment.ts";
import { mentionsStep, requireCommentText } from "./comment-text.ts";

interface Edit extends CommentInput {
  text: string;
  mentions: readonly string[];
}

/** By its author alone, whose words they are. The former text is gone, and the entry says since when. */
export const editComment = changeComment<Edit>(function* (tx, ctx, input, { comment, now }) {
  if (!isAuthor(ctx, comment)) throw new Refusal("permission_denied", "Only its author can edit a comment.");
  const text = requireCommentText(input.text);
  if ("deleted" in comment.detail) throw new Refusal("conflict", "this comment is deleted; restore it first");
  // Sent again, or saved as it was: nothing is told.
  if (comment.detail.text === text) return false;
  const mentions = yield* mentionsStep(tx, input.mentions);
  yield* setCommentStep(tx, input, { text, mentions, editedAt: new Date(now).toISOString() });
  return true;
});
