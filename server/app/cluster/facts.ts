import type { ChangeEvent, ChangeKind } from "../../core/change-event.ts";

/** What one row of a stream tells: changes, that anything may have changed, or that the stream ends. */
export type Facts = readonly ChangeEvent[] | "resync" | "end";

/** Kinds that concern one process alone: whether its own connections store anything. */
const ofOneProcess: readonly ChangeKind[] = ["storage"];

export function concernsOthers({ kind }: ChangeEvent): boolean {
  return !ofOneProcess.includes(kind);
}
