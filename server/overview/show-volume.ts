import { type Level, levels } from "../../openapi/schema/ingest.ts";
import { type Context, requireMember } from "../core/context.ts";
import type { Span } from "../core/time-range.ts";
import { nameKeys } from "../reports/named-keys.ts";
import { readQuery, type Term } from "../reports/parse-report-query.ts";
import { requireProject } from "../reports/project.ts";
import { ReportSearch } from "../reports/query-reports.ts";
import type { WordReader } from "../reports/report-words.ts";
import { barsOf } from "./bars.ts";
import { Counts, readCounts, sumOf } from "./counts.ts";

export interface Volume {
  since: string;
  until: string;
  stepSeconds: number;
  /** Starts of the bars, oldest first. */
  at: string[];
  /** Only levels that occur, the most severe first. */
  levels: LevelCounts[];
  /** Repeats by the time they came. With a query: repeats of the reports found, by the time the first of each came. */
  repeats: number[];
  total: number;
  totalRepeats: number;
  /** Only reports received since this time were counted, because counting more would take too long. */
  countedBackTo?: string;
}

export interface LevelCounts {
  level: Level | "none";
  counts: number[];
}

/** Bounds of counting with a query: reports, and milliseconds. */
const countedMax = 10_000;
const countMilliseconds = 1_000;

/** Counts reports over time, bar by bar: from the tally without a query, else by reading the reports that match. */
export async function showVolume({
  ctx,
  reader,
  input: { projectId, query, span },
}: {
  ctx: Context;
  reader: WordReader;
  input: { projectId: string; query: string; span: Span };
}): Promise<Volume> {
  requireMember(ctx);
  await requireProject(ctx.store, projectId);
  const { terms } = await nameKeys(ctx.store, projectId, readQuery(query));
  const { counts, backTo } =
    terms.length === 0
      ? { counts: await readCounts(ctx.store, projectId, span, ctx.now()), backTo: undefined }
      : await countFound(ctx, reader, { projectId, terms, span });
  const byLevel = levelsIn(counts);
  const repeats = counts.bars("repeat");
  return {
    ...presentSpan(span, counts),
    levels: byLevel,
    repeats,
    total: sumOf(byLevel.map((one) => sumOf(one.counts))),
    totalRepeats: sumOf(repeats),
    ...(backTo === undefined ? {} : { countedBackTo: new Date(backTo).toISOString() }),
  };
}

/** Counts the matching reports one by one, newest first, until the time limit. */
async function countFound(
  ctx: Context,
  reader: WordReader,
  { projectId, terms, span }: { projectId: string; terms: readonly Term[]; span: Span },
): Promise<{ counts: Counts; backTo: number | undefined }> {
  const counts = new Counts(span, barsOf(span, ctx.now()).bar);
  let [found, last] = [0, span.until];
  const search = new ReportSearch(ctx, reader, {
    ...{ projectId, terms, since: span.since, wanted: countedMax + 1, milliseconds: countMilliseconds },
    found: ({ received_at: at, level, repeat_count: repeats }) => {
      if (++found > countedMax) return;
      last = at;
      counts.add({ at, series: "report", label: level ?? "none", count: 1 });
      if (repeats > 0) counts.add({ at, series: "repeat", label: "", count: repeats });
    },
  });
  await search.from({ at: span.until, id: "" });
  return { counts, backTo: found > countedMax ? last : search.stopped?.at };
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
