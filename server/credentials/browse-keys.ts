import type { Context } from "../core/context.ts";
import type { Page, PageInput } from "../core/page.ts";
import type { Reader } from "../core/store.ts";
import type { KeyView } from "./key-view.ts";
import { listKeys } from "./list-keys.ts";

interface BrowsedKey extends KeyView {
  projectName: string;
  /** Reports of the last 24 hours; `more` when the project had more reports than were counted. */
  reports: { count: number; more: boolean };
}

const dayMilliseconds = 86_400_000;
/** At most so many reports of one project are counted. */
const countedMax = 10_000;

/** SDK keys for the page: with the names of their projects, and how many reports came with each key. */
export async function browseKeys({
  ctx,
  input,
}: {
  ctx: Context;
  input: PageInput & { projectId?: string | undefined };
}): Promise<Page<BrowsedKey>> {
  const { items, next } = await listKeys({ ctx, input });
  const projects = new Map<string, Counted>();
  for (const id of new Set(items.map(({ projectId }) => projectId)))
    projects.set(id, await countOf(ctx.store, id, ctx.now()));
  return {
    items: items.map((key) => {
      const project = projects.get(key.projectId);
      const reports = { count: project?.counts.get(key.id) ?? 0, more: project?.more ?? false };
      return { ...key, projectName: project?.name ?? "", reports };
    }),
    next,
  };
}

interface Counted {
  name: string;
  counts: Map<string, number>;
  more: boolean;
}

async function countOf(store: Reader, projectId: string, now: number): Promise<Counted> {
  const project = await store.one<{ name: string }>("select name from project where id = $1", [projectId]);
  const rows = await store.all<{ key_id: string; count: number }>(
    `select key_id, cast(count(*) as integer) as count
     from (select key_id from event where project_id in ($1) and received_at >= $2
           order by received_at desc, id desc limit ${countedMax}) counted
     group by key_id`,
    [projectId, now - dayMilliseconds],
  );
  const all = rows.reduce((sum, { count }) => sum + count, 0);
  const counts = new Map(rows.map(({ key_id, count }) => [key_id, count]));
  return { name: project?.name ?? "", counts, more: all >= countedMax };
}
