import { type Context, requireMember } from "../core/context.ts";
import { highest } from "../core/page.ts";
import type { Reader, Row } from "../core/store.ts";
import type { Between } from "./list-reports.ts";
import { filterNames, hasValues, isValues } from "./parse-report-query.ts";
import { requireProject } from "./project.ts";

export interface Suggestions {
  /** The most frequent value first. */
  items: { value: string; count: number }[];
  /** Number of newest reports that were counted. */
  of: number;
}

const lookedAt = 2_000;
const shownMax = 20;

/**
 * Suggests values of a filter that begin with a prefix, and counts them in the newest reports. Without the name of a
 * filter it suggests the names of filters and tags.
 */
export async function suggest({
  ctx,
  input: { projectId, name, prefix, since = 0, until = highest },
}: {
  ctx: Context;
  input: Between & { projectId: string; name: string; prefix: string };
}): Promise<Suggestions> {
  requireMember(ctx);
  await requireProject(ctx.store, projectId);
  const rows = await ctx.store.all<NewestRow>(
    `select e.level, e.type, e.environment, e.release, e.user_id, e.user_email, e.key_id, e.tags,
       case when e.warnings is null then 0 else 1 end as warned, e.repeat_count,
       case when $5 = 1 then (select count(*) from attachment a where a.event_id = e.id and a.state <> 'missing')
         else 0 end as attachments
     from event e where e.project_id in ($1) and e.received_at >= $2 and e.received_at < $3
     order by e.received_at desc, e.id desc limit $4`,
    [projectId, since, until, lookedAt, name === "has" ? 1 : 0],
  );
  const counts = new Map<string, number>();
  const wanted = prefix.toLowerCase();
  const keys = name === "key" ? await keyNames(ctx.store, projectId) : new Map<string, string>();
  for (const row of rows) {
    for (const value of valuesOf(row, name, keys)) {
      if (value.toLowerCase().startsWith(wanted)) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  for (const value of closedValues.get(name) ?? [])
    if (value.startsWith(wanted)) counts.set(value, counts.get(value) ?? 0);
  const items = [...counts].map(([value, count]) => ({ value, count }));
  items.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  return { items: items.slice(0, shownMax), of: rows.length };
}

interface NewestRow extends Row {
  level: string | null;
  type: string | null;
  environment: string | null;
  release: string | null;
  user_id: string | null;
  user_email: string | null;
  key_id: string;
  tags: string | null;
  warned: number;
  repeat_count: number;
  attachments: number;
}

/** Values that are suggested with the count 0 when they do not occur. */
const closedValues: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ["", filterNames],
  ["has", hasValues],
  ["is", isValues],
]);

const columns: Partial<Record<string, (row: NewestRow) => string | null>> = {
  level: (row) => row.level,
  type: (row) => row.type,
  env: (row) => row.environment,
  release: (row) => row.release,
  "user.id": (row) => row.user_id,
  "user.email": (row) => row.user_email,
};

function valuesOf(row: NewestRow, name: string, keys: ReadonlyMap<string, string>): string[] {
  if (name === "") return Object.keys(tagsOf(row)).map((tag) => `tag.${tag}`);
  if (name.startsWith("tag.")) return some(tagsOf(row)[name.slice(4)]);
  if (name === "key") return some(keys.get(row.key_id));
  if (name === "is") return row.repeat_count > 0 ? ["repeated"] : [];
  if (name === "has") return [...(row.attachments > 0 ? ["attachment"] : []), ...(row.warned === 1 ? ["warning"] : [])];
  return some(Object.hasOwn(columns, name) ? columns[name]?.(row) : undefined);
}

function some(value: string | null | undefined): string[] {
  return typeof value === "string" && value !== "" ? [value] : [];
}

function tagsOf({ tags }: NewestRow): Record<string, string> {
  return Object.assign(Object.create(null), tags === null ? {} : JSON.parse(tags)) as Record<string, string>;
}

async function keyNames(store: Reader, projectId: string): Promise<Map<string, string>> {
  const rows = await store.all<{ id: string; name: string }>("select id, name from sdk_key where project_id = $1", [
    projectId,
  ]);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
