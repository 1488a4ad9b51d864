import { isUuid } from "../../openapi/check.ts";
import { type Context, requireMember } from "../core/context.ts";
import type { Row, Sql } from "../core/store.ts";
import { textExpression } from "./report-query-sql.ts";
import { queryWords, wordsOf } from "./report-terms.ts";

/** A report found by the search over everything. */
interface FoundReport {
  id: string;
  title: string | null;
  level: string | null;
  projectId: string;
  projectName: string;
  receivedAt: string;
  /** Whether the search named the report by its id. */
  exact: boolean;
}

interface FoundRow extends Row {
  id: string;
  title: string | null;
  level: string | null;
  project_id: string;
  project_name: string;
  received_at: number;
}

const columns = "e.id, e.title, e.level, e.project_id, p.name as project_name, e.received_at";
const ofProject = "join project p on p.id = e.project_id and p.deleted_at is null";

const selectOf = (proposed: string) => `select ${columns}
  from (${proposed}) t
    join report_number n on n.number = t.number join event e on e.id = n.event_id ${ofProject}
  order by n.number desc`;

const selectProposed: Sql = {
  sqlite: selectOf("select rowid as number from report_text where report_text match $1 order by rowid desc limit $2"),
  postgres: selectOf("select number from report_text where terms @@ cast($1 as tsquery) order by number desc limit $2"),
};

/**
 * Searches the reports of all projects, newest first: by event id, or by words of which each begins a word of the title
 * or the message.
 */
export async function searchReports({
  ctx,
  input: { query, limit },
}: {
  ctx: Context;
  input: { query: string; limit: number };
}): Promise<FoundReport[]> {
  requireMember(ctx);
  const text = query.trim();
  if (isUuid(text)) {
    const sql = `select ${columns} from event e ${ofProject} where e.id = $1`;
    return (await ctx.store.all<FoundRow>(sql, [text.toLowerCase()])).map((row) => present(row, true));
  }
  const expression = await textExpression(ctx.store, text);
  if (!expression) return [];
  const rows = await ctx.store.all<FoundRow>(selectProposed, [expression.match, expression.sure ? limit : proposedMax]);
  const found = expression.sure ? rows : rows.filter(({ title }) => hasWords(title ?? "", text));
  return found.slice(0, limit).map((row) => present(row, false));
}

const proposedMax = 200;

/** Whether the title has the text, for texts that the index cannot decide. */
function hasWords(title: string, text: string): boolean {
  const words = wordsOf(title);
  return queryWords(text).every((beginning) => words.some((word) => word.startsWith(beginning)));
}

function present(row: FoundRow, exact: boolean): FoundReport {
  return {
    id: row.id,
    title: row.title,
    level: row.level,
    projectId: row.project_id,
    projectName: row.project_name,
    receivedAt: new Date(row.received_at).toISOString(),
    exact,
  };
}
