import type { Context } from "../core/context.ts";

/** Tells open pages that a run has changed, and on which board its card lies. */
export async function runChanged({ store, changed }: Pick<Context, "store" | "changed">, id: string): Promise<void> {
  if (!changed) return;
  const row = await store.one<{ board_id: string }>(
    `select c.board_id from agent_run r join ticket t on t.id = r.ticket_id
     join board_column c on c.id = t.column_id where r.id = $1`,
    [id],
  );
  changed(row ? { kind: "run", id, in: row.board_id } : { kind: "run", id });
}
