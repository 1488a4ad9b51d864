import { type Context, Refusal, requireMember } from "../access/context.ts";
import type { Row } from "../store/store.ts";

export interface LogChunk {
  number: number;
  attempt: number;
  at: string;
  text: string;
}

const chunksMax = 200;

interface ChunkRow extends Row {
  number: number;
  attempt: number;
  at: number;
  text: string;
}

/** What a run has written, oldest first, after the chunk `after`; `next` is where to go on when there may be more. */
export async function readLog({
  ctx,
  input: { id, after },
}: {
  ctx: Context;
  input: { id: string; after: number };
}): Promise<{ items: LogChunk[]; next: number | null }> {
  requireMember(ctx);
  if (!(await ctx.store.one("select id from agent_run where id = $1", [id]))) {
    throw new Refusal("not_found", `there is no run ${id}`);
  }
  const rows = await ctx.store.all<ChunkRow>(
    "select number, attempt, at, text from run_log where run_id = $1 and number > $2 order by number limit $3",
    [id, after, chunksMax],
  );
  const items = rows.map((row) => ({ ...row, at: new Date(row.at).toISOString() }));
  return { items, next: rows.length < chunksMax ? null : (rows.at(-1)?.number ?? null) };
}
