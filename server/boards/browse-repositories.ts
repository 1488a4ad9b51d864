import type { Context } from "../core/context.ts";
import type { Page, PageInput } from "../core/page.ts";
import type { Row } from "../core/store.ts";
import { listRepositories } from "./repositories.ts";
import type { RepositoryView } from "./repository-view.ts";

interface BrowsedRepository extends RepositoryView {
  projectName: string;
  /** Credits that a run against the repository holds once a runner takes it. */
  runCredits: number;
  lastRun: { id: string; state: string; queuedAt: string } | null;
  /** Runs that have not ended. Unbinding takes the repository away from them. */
  waitingRuns: number;
}

interface UseRow extends Row {
  project_name: string;
  run_credits: number;
  run_id: string | null;
  state: string | null;
  queued_at: number | null;
  waiting: number;
}

/** Repositories for the page: with the names of their projects, the last run and the runs that have not ended. */
export async function browseRepositories({
  ctx,
  input,
}: {
  ctx: Context;
  input: PageInput & { projectId?: string | undefined };
}): Promise<Page<BrowsedRepository>> {
  const { items, next } = await listRepositories({ ctx, input });
  return { items: await Promise.all(items.map((repository) => withUse(ctx, repository))), next };
}

async function withUse({ store }: Context, repository: RepositoryView): Promise<BrowsedRepository> {
  const row = await store.one<UseRow>(
    `select p.name as project_name, o.run_credits, r.id as run_id, r.state, r.queued_at,
       (select cast(count(*) as integer) from agent_run
        where repository_id = $2 and state in ('queued', 'waiting', 'claimed', 'running')) as waiting
     from project p join repository o on o.id = $2
       left join agent_run r on r.id = (select max(id) from agent_run where repository_id = $2)
     where p.id = $1`,
    [repository.projectId, repository.id],
  );
  const ran = row?.run_id && row.state && row.queued_at !== null;
  return {
    ...repository,
    projectName: row?.project_name ?? "",
    runCredits: row?.run_credits ?? 0,
    lastRun: ran
      ? {
          id: row.run_id as string,
          state: row.state as string,
          queuedAt: new Date(row.queued_at as number).toISOString(),
        }
      : null,
    waitingRuns: row?.waiting ?? 0,
  };
}
