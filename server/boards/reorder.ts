import { Refusal } from "../core/context.ts";
import type { Step, Tx } from "../core/store.ts";

const siblings = {
  board: "select id from board where project_id = $1 and deleted_at is null order by position, id",
  board_column: "select id from board_column where board_id = $1 order by position, id",
} as const;

/** Moves a board or a column behind another one, or to the front. There are few, so all get new positions. */
export function* reorderStep(
  tx: Tx,
  table: keyof typeof siblings,
  { within, id, after }: { within: string; id: string; after: string | null },
): Step<void> {
  if (after === id) throw new Refusal("invalid_input", "nothing stands behind itself");
  const others = (yield* tx.all<{ id: string }>(siblings[table], [within])).filter((one) => one.id !== id);
  // When the one to follow has been deleted, the moved one goes to the end.
  const before = after === null ? 0 : others.findIndex((one) => one.id === after) + 1 || others.length;
  others.splice(before, 0, { id });
  for (const [i, one] of others.entries()) {
    yield* tx.run(`update ${table} set position = $2 where id = $1`, [one.id, i + 1]);
  }
}
