import { behindMax } from "../core/behind-max.ts";
import { type Context, requireMember } from "../core/context.ts";
import { decodeCursor, encodeCursor, highest, type PageInput } from "../core/page.ts";
import { nameKeys } from "./named-keys.ts";
import { type Problem, readQuery } from "./parse-report-query.ts";
import { requireProject } from "./project.ts";
import { ReportSearch } from "./query-reports.ts";
import type { ReportIndex } from "./report-index.ts";
import { presentRow, type ReportRow, type ScannedRow } from "./report-row.ts";
import type { WordReader } from "./report-words.ts";
import { isIndexOnly } from "./row-matches-query.ts";

export interface ReportList {
  /** Newest first. */
  items: ReportRow[];
  next: string | null;
  /** Terms of the query that made no sense and were left out of the search. */
  problems: Problem[];
  /**
   * Present when the search took too long: only reports received after this time were searched; `next` continues there.
   */
  lookedBackTo?: string;
  /** Present when the query finds indexed reports only and this many new ones are not in the index yet. */
  behind?: number;
}

export interface Between {
  /** Only reports received at or after this time; epoch milliseconds. */
  since?: number | undefined;
  /** Only reports received before this time; epoch milliseconds. */
  until?: number | undefined;
}

const scanMilliseconds = 2_000;

/** Lists the reports of a project that match a query, as far as they are found within 2 s. */
export async function listReports({
  ctx,
  reader,
  index,
  input,
}: {
  ctx: Context;
  reader: WordReader;
  index: Pick<ReportIndex, "behind">;
  input: PageInput & Between & { projectId: string; query: string };
}): Promise<ReportList> {
  requireMember(ctx);
  const { projectId, limit } = input;
  await requireProject(ctx.store, projectId);
  const [at = highest, id = ""] = decodeCursor(input.cursor, ["number", "string"]);
  const read = readQuery(input.query);
  const { terms, problems } = await nameKeys(ctx.store, projectId, read);
  const place = input.until !== undefined && input.until <= at ? { at: input.until, id: "" } : { at, id };
  // Counted before the search, so that what is indexed in between is found or counted.
  const behind = terms.some(isIndexOnly) ? await index.behind(behindMax, projectId) : 0;
  const rows: ScannedRow[] = [];
  const search = new ReportSearch(ctx, reader, {
    ...{ projectId, terms, since: input.since ?? 0, wanted: limit + 1, milliseconds: scanMilliseconds },
    found: (row) => rows.push(row),
  });
  await search.from(place);

  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const next = last ? { at: last.received_at, id: last.id } : search.stopped;
  const items: ReportRow[] = [];
  for (const row of shown) items.push(await presentRow(ctx.store, row));
  return {
    items,
    next: next ? encodeCursor([next.at, next.id]) : null,
    problems,
    ...(search.stopped && !last ? { lookedBackTo: new Date(search.stopped.at).toISOString() } : {}),
    ...(behind > 0 ? { behind } : {}),
  };
}
