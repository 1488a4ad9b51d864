import { type Level, levels } from "../../openapi/schema/ingest.ts";
import { type Context, requireMember } from "../access/context.ts";
import { requireProject } from "../reports/project.ts";
import { type Counts, readCounts, sumOf } from "./counts.ts";
import type { Span } from "./range.ts";

export interface Volume {
  since: string;
  until: string;
  stepSeconds: number;
  /** Starts of the bars, oldest first. */
  at: string[];
  /** Only levels that occur, the worst first. */
  levels: LevelCounts[];
  repeats: number[];
  total: number;
  totalRepeats: number;
}

export interface LevelCounts {
  level: Level | "none";
  counts: number[];
}

/** How many reports came when: from counts alone, whatever there is. */
export async function showVolume({
  ctx,
  input: { projectId, span },
}: {
  ctx: Context;
  input: { projectId: string; span: Span };
}): Promise<Volume> {
  requireMember(ctx);
  await requireProject(ctx.store, projectId);
  const counts = await readCounts(ctx.store, projectId, span, ctx.now());
  const byLevel = levelsIn(counts);
  const repeats = counts.bars("repeat");
  return {
    ...presentSpan(span, counts),
    levels: byLevel,
    repeats,
    total: sumOf(byLevel.map((one) => sumOf(one.counts))),
    totalRepeats: sumOf(repeats),
  };
}

export function presentSpan({ since, until }: Span, { at, bar }: Counts) {
  return {
    since: new Date(since).toISOString(),
    until: new Date(until).toISOString(),
    stepSeconds: bar / 1_000,
    at: at.map((time) => new Date(time).toISOString()),
  };
}

export function levelsIn(counts: Counts): LevelCounts[] {
  const found = counts.labels("report");
  return ([...levels, "none"] as const).flatMap((level) => {
    const counted = found.get(level);
    return counted ? [{ level, counts: counted }] : [];
  });
}
