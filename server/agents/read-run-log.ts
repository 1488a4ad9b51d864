import { type Context, Refusal, requireMember } from "../core/context.ts";
import type { Row } from "../core/store.ts";
import { runViewTables, runViewVisible } from "./run-view.ts";

interface LogChunk {
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

/** Chunks of a run's log after the chunk `after`, oldest first. `next` is the `after` of the next call; null at the end. */
export async function readRunLog({
  ctx,
  input: { id, after },
}: {
  ctx: Context;
  input: { id: string; after: number };
}): Promise<{ items: LogChunk[]; next: number | null }> {
  requireMember(ctx);
  const run = await ctx.store.one(`select r.id from ${runViewTables} where r.id = $1 and ${runViewVisible}`, [id]);
  if (!run) throw new Refusal("not_found", `there is no run ${id}`);
  const rows = await ctx.store.all<ChunkRow>(
    "select number, attempt, at, text from run_log where run_id = $1 and number > $2 order by number limit $3",
    [id, after, chunksMax],
  );
  const items = rows.map((row) => ({ ...row, at: new Date(row.at).toISOString() }));
  return { items, next: rows.length < chunksMax ? null : (rows.at(-1)?.number ?? null) };
}

/** The whole log of a run as one text. A line such as `--- attempt 2 ---` stands before each attempt after the first. */
export async function readWholeRunLog({
  ctx,
  input: { id },
}: {
  ctx: Context;
  input: { id: string };
}): Promise<string> {
  const parts: string[] = [];
  let attempt: number | undefined;
  for (let after: number | null = 0; after !== null; ) {
    const page: Awaited<ReturnType<typeof readRunLog>> = await readRunLog({ ctx, input: { id, after } });
    for (const chunk of page.items) {
      if (attempt !== undefined && chunk.attempt !== attempt) parts.push(`\n--- attempt ${chunk.attempt} ---\n`);
      attempt = chunk.attempt;
      parts.push(chunk.text);
    }
    after = page.next;
  }
  return parts.join("");
}
