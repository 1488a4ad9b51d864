import { api, done } from "../../core/api.ts";
import { plural } from "../../core/format.ts";
import { failureOf } from "../../core/load.ts";
import { say } from "../../core/say.ts";
import type { BoardStore } from "./store.ts";

export type BulkChange = Parameters<typeof api.cards.bulk.post>[0]["change"];

/**
 * Makes one change to each of the cards. A toast names the cards that refused the change; the board shows the others
 * changed.
 */
export async function changeCards(store: BoardStore, ids: readonly string[], change: BulkChange) {
  try {
    const { done: worked, failed } = await done(api.cards.bulk.post({ ids: [...ids], change }));
    store.chosen.value = new Set();
    const undo = undoOf(store, worked, change);
    if (failed[0]) say(`${plural(failed.length, "card")} stayed as they were: ${failed[0].message}`, { bad: true });
    else say(`${doneWords[change.kind]} ${plural(worked.length, "card")}`, undo ? { undo } : {});
    store.hear(worked.map((id) => ({ kind: "card" as const, id, in: store.id })));
  } catch (error) {
    say(failureOf(error).message, { bad: true });
  }
}

const doneWords = {
  move: "Moved",
  set: "Changed",
  archive: "Archived",
  unarchive: "Put back",
  delete: "Deleted",
  restore: "Restored",
} as const;

const opposites = { archive: "unarchive", unarchive: "archive", delete: "restore", restore: "delete" } as const;

function undoOf(store: BoardStore, ids: readonly string[], { kind }: BulkChange): (() => void) | undefined {
  if (kind === "move" || kind === "set" || ids.length === 0) return undefined;
  return () => void changeCards(store, ids, { kind: opposites[kind] });
}
