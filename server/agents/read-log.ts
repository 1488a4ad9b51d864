import { type Context, Refusal, requireMember } from "../core/context.ts";
import type { Row } from "../core/store.ts";
import { entryTables, entryVisible } from "./list-runs.ts";

export interface LogChunk {
  number: number;
  attempt: number;
  at: string;
  text: string;
}

const chunksMax = 1_000;

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
  const run = await ctx.store.one(`select r.id from ${entryTables} where r.id = $1 and ${entryVisible}`, [id]);
  if (!run) throw new Refusal("not_found", `there is no run ${id}`);
  const rows = await ctx.store.all<ChunkRow>(
    "select number, attempt, at, text from run_log where run_id = $1 and number > $2 order by number limit $3",
    [id, after, chunksMax],
  );
  const items = rows.map((row) => ({ ...row, at: new Date(row.at).toISOString() }));
  return { items, next: rows.length < chunksMax ? null : (rows.at(-1)?.number ?? null) };
}

/** All of it as one text, each attempt after the first under a line of its own. */
export async function readWholeLog({ ctx, input: { id } }: { ctx: Context; input: { id: string } }): Promise<string> {
  const parts: string[] = [];
  let attempt: number | undefined;
  for (let after: number | null = 0; after !== null; ) {
    const page: Awaited<ReturnType<typeof readLog>> = await readLog({ ctx, input: { id, after } });
    for (const chunk of page.items) {
      if (attempt !== undefined && chunk.attempt !== attempt) parts.push(`\n--- attempt ${chunk.attempt} ---\n`);
      attempt = chunk.attempt;
      parts.push(chunk.text);
    }
    after = page.next;
  }
  return parts.join("");
}
