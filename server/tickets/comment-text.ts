import { isPlain, longerThan } from "../../openapi/check.ts";
import { limits } from "../../openapi/schema/limits.ts";
import type { ActorView } from "../activity/activity.ts";
import { Refusal } from "../core/context.ts";
import type { Step, Tx } from "../core/store.ts";
import { assigneeStep } from "./insert.ts";

/** What the activity keeps of a comment. */
export interface CommentDetail {
  text: string;
  mentions: { id: string; name: string }[];
  /** ISO 8601. By its author: nobody else can edit it. */
  editedAt?: string;
}

/** What the activity keeps of a comment that was deleted: who did so and when, and nothing that it said. */
export interface DeletedCommentDetail {
  deleted: { at: string; by: ActorView; restorableUntil: string };
}

/** A comment is kept as it is typed. */
export function requireCommentText(text: string): string {
  if (text.trim() === "" || longerThan(text, limits.commentMax) || !isPlain(text)) {
    const max = limits.commentMax.toLocaleString("en");
    throw new Refusal("invalid_input", `a comment has 1 to ${max} characters, not only blanks, none of them U+0000`);
  }
  return text;
}

/** Members that a text names, under their names of now; tokens cannot be. */
export function* mentionsStep(tx: Tx, ids: readonly string[]): Step<CommentDetail["mentions"]> {
  const mentions = [];
  for (const member of new Set(ids)) {
    const { id, name } = yield* assigneeStep(tx, member);
    mentions.push({ id, name });
  }
  return mentions;
}
