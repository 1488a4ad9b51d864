import { isPlain, longerThan } from "../../openapi/check.ts";
import { limits } from "../../openapi/schema/limits.ts";
import type { ActorView } from "../activity/activity.ts";
import { Refusal } from "../core/context.ts";
import type { Step, Tx } from "../core/store.ts";
import { assigneeStep } from "./insert.ts";

/** The detail of an activity entry that is a comment. */
export interface CommentDetail {
  text: string;
  mentions: { id: string; name: string }[];
  /** When its author, who alone can edit it, last edited the comment; ISO 8601. */
  editedAt?: string;
}

/** The detail of a deleted comment: who deleted it and when, and nothing of its text. */
export interface DeletedCommentDetail {
  deleted: { at: string; by: ActorView; restorableUntil: string };
}

/** Checks the text of a comment, which is stored as it is typed. */
export function requireCommentText(text: string): string {
  if (text.trim() === "" || longerThan(text, limits.commentMax) || !isPlain(text)) {
    const max = limits.commentMax.toLocaleString("en");
    throw new Refusal("invalid_input", `a comment has 1 to ${max} characters, not only blanks, none of them U+0000`);
  }
  return text;
}

/** Finds the mentioned members and their present names; tokens cannot be mentioned. */
export function* mentionsStep(tx: Tx, ids: readonly string[]): Step<CommentDetail["mentions"]> {
  const mentions = [];
  for (const member of new Set(ids)) {
    const { id, name } = yield* assigneeStep(tx, member);
    mentions.push({ id, name });
  }
  return mentions;
}
