import type { MoveMark } from "../move-mark.ts";
import type { MoveEnd, MoveSource, MoveTarget } from "./ends.ts";
import { MoveRefused } from "./move-refused.ts";
import type { MovedTable } from "./moved-tables.ts";

/**
 * `moved`: everything was compared and the source has its mark, but the target was not released yet. `released`: nothing
 * is left to do.
 */
type MoveState = "new" | "begun" | "moved" | "released";

/** Throws when another move, or anything else, has put something into the target, or the source was moved elsewhere. */
export async function stateOf(
  source: MoveSource,
  target: MoveTarget,
  tables: readonly MovedTable[],
): Promise<MoveState> {
  const [from, to] = [await source.mark(), await target.mark()];
  if (from && from.role !== "source") throw source.refusal(from);
  if (to && (to.role !== "target" || to.id !== from?.id)) throw target.refusal(to);
  if (to) return from?.movedAt ? "moved" : "begun";
  if (from?.movedAt) {
    if (from.peer !== target.words) throw source.refusal(from);
    return "released";
  }
  const content = await target.content(tables);
  if (content === undefined) return "new";
  throw new MoveRefused(
    `${target.words} is not empty: it has ${content}, which this move did not put there. Give an empty one; nothing was changed`,
  );
}

export async function requireUnused(...ends: readonly MoveEnd[]) {
  for (const end of ends) {
    const user = await end.user();
    if (user !== undefined) throw new MoveRefused(`${end.words} is in use by ${user}; stop it first`);
  }
}

/** Marks both ends, first the source, and returns the mark of the source. */
export async function setMarks(source: MoveSource, target: MoveTarget): Promise<MoveMark> {
  const id = (await source.mark())?.id ?? crypto.randomUUID();
  const mark: MoveMark = { id, role: "source", peer: target.words, movedAt: null };
  await source.setMark(mark);
  await target.setMark({ id, role: "target", peer: source.words, movedAt: null });
  for (const end of [source, target]) {
    const stands = await end.mark();
    if (stands && stands.id !== id) throw end.refusal(stands);
  }
  return mark;
}
