import { limits } from "../../openapi/schema/limits.ts";
import { activityStep, actorView } from "../activity/activity.ts";
import { type Context, Refusal } from "../core/context.ts";
import { type CommentInput, changeComment, isAuthor, setCommentStep } from "./change-comment.ts";
import type { CommentDetail } from "./comment-text.ts";

const dayMilliseconds = 86_400_000;

/** Deletes a comment for its author or an admin. The text leaves the activity at once, and can be restored for some days. */
export const deleteComment = changeComment<CommentInput>(function* (tx, ctx, input, { comment, now }) {
  if (!isAuthor(ctx, comment) && !isAdmin(ctx)) {
    throw new Refusal("permission_denied", "Only its author or an admin can delete a comment.");
  }
  if ("deleted" in comment.detail) throw new Refusal("conflict", "this comment is deleted already");
  const { id, number } = input;
  yield* tx.run("insert into deleted_comment (ticket_id, number, detail, deleted_at) values ($1, $2, $3, $4)", [
    id,
    number,
    JSON.stringify(comment.detail),
    now,
  ]);
  const [at, restorableUntil] = [now, now + limits.restoreDays * dayMilliseconds].map((time) =>
    new Date(time).toISOString(),
  ) as [string, string];
  yield* setCommentStep(tx, input, { deleted: { at, by: actorView(ctx.actor), restorableUntil } });
  const detail = { number, author: comment.actor };
  yield* activityStep(tx, id, { at: now, actor: ctx.actor, kind: "comment_deleted", detail });
  return true;
});

/** Restores a comment for whoever deleted it or an admin: an author cannot restore what an admin deleted. */
export const restoreComment = changeComment<CommentInput>(function* (tx, ctx, input, { comment, now }) {
  if (!("deleted" in comment.detail)) throw new Refusal("conflict", "this comment is not deleted");
  const { id, number } = input;
  const { by } = comment.detail.deleted;
  const deletedIt = ctx.actor.kind === "member" && by.id === ctx.actor.id;
  if (!deletedIt && !isAdmin(ctx)) {
    throw new Refusal("permission_denied", "Only whoever deleted it or an admin can restore a comment.");
  }
  const kept = yield* tx.one<{ detail: string }>(
    "delete from deleted_comment where ticket_id = $1 and number = $2 and deleted_at > $3 returning detail",
    [id, number, now - limits.restoreDays * dayMilliseconds],
  );
  if (!kept) throw new Refusal("not_found", "this comment was deleted too long ago");
  yield* setCommentStep(tx, input, JSON.parse(kept.detail) as CommentDetail);
  const detail = { number, author: comment.actor };
  yield* activityStep(tx, id, { at: now, actor: ctx.actor, kind: "comment_restored", detail });
  return true;
});

function isAdmin({ actor }: Context): boolean {
  return actor.kind === "operator" || (actor.kind === "member" && actor.role === "admin");
}
