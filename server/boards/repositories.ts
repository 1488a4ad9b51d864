import { requireBranchName, requireRepositoryUrl } from "../agents/repository-url.ts";
import { requeueForRepositoryStep } from "../agents/requeue.ts";
import { runChanged } from "../agents/run-changed.ts";
import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import { decodeCursor, type Page, type PageInput, pageOf } from "../core/page.ts";
import type { Row } from "../core/store.ts";
import { projectStep } from "./create-board.ts";

/** Repositories that agent runs of a project may work against. */
export interface RepositoryView {
  id: string;
  projectId: string;
  url: string;
  /** From which runs begin; null: the repository's own default branch. */
  baseBranch: string | null;
  createdAt: string;
}

export async function bindRepository({
  ctx,
  input,
}: {
  ctx: Context;
  input: { projectId: string; url: string; baseBranch?: string | undefined };
}): Promise<{ id: string }> {
  requireAdmin(ctx);
  const url = requireRepositoryUrl(input.url);
  const baseBranch = input.baseBranch === undefined ? null : requireBranchName(input.baseBranch);
  const [id, auditId, now] = [ctx.newId(), ctx.newId(), ctx.now()];
  await ctx.store.write(function* (tx) {
    yield* projectStep(tx, input.projectId);
    const made = yield* tx.one(
      `insert into repository (id, project_id, url, base_branch, created_at) values ($1, $2, $3, $4, $5)
       on conflict (project_id, url) where unbound_at is null do nothing returning id`,
      [id, input.projectId, url, baseBranch, now],
    );
    if (!made) throw new Refusal("conflict", "this repository is bound to the project already");
    yield* audit(tx, ctx, auditId, "repository.bind", `repository ${id}`, {
      to: { url, projectId: input.projectId, ...(baseBranch === null ? {} : { baseBranch }) },
    });
  });
  await queueWaitingRuns(ctx, input.projectId);
  return { id };
}

/** Runs that waited for a repository, some in each transaction. */
async function queueWaitingRuns(ctx: Context, projectId: string) {
  const moment = { now: ctx.now(), newId: ctx.newId };
  for (;;) {
    const queued = await ctx.store.write((tx) => requeueForRepositoryStep(tx, projectId, moment));
    if (queued.length === 0) return;
    for (const run of queued) await runChanged(ctx, run);
  }
}

export async function unbindRepository({
  ctx,
  input,
}: {
  ctx: Context;
  input: { id: string };
}): Promise<{ id: string }> {
  requireAdmin(ctx);
  const { id } = input;
  const [auditId, now] = [ctx.newId(), ctx.now()];
  return ctx.store.write(function* (tx) {
    const gone = yield* tx.one<{ url: string }>(
      "update repository set unbound_at = $2 where id = $1 and unbound_at is null returning url",
      [id, now],
    );
    if (!gone) throw new Refusal("not_found", `there is no bound repository ${id}`);
    yield* audit(tx, ctx, auditId, "repository.unbind", `repository ${id}`, { from: { url: gone.url } });
    return { id };
  });
}

interface RepositoryRow extends Row {
  id: string;
  project_id: string;
  url: string;
  base_branch: string | null;
  created_at: number;
}

const columns = "id, project_id, url, base_branch, created_at";

/** Bound ones, oldest first. */
export async function listRepositories({
  ctx,
  input,
}: {
  ctx: Context;
  input: PageInput & { projectId?: string | undefined };
}): Promise<Page<RepositoryView>> {
  requireAdmin(ctx);
  const [after = ""] = decodeCursor(input.cursor, ["string"]);
  const rows =
    input.projectId === undefined
      ? await ctx.store.all<RepositoryRow>(
          `select ${columns} from repository where id > $1 and unbound_at is null order by id limit $2`,
          [after, input.limit + 1],
        )
      : await ctx.store.all<RepositoryRow>(
          `select ${columns} from repository where project_id = $1 and id > $2 and unbound_at is null
           order by id limit $3`,
          [input.projectId, after, input.limit + 1],
        );
  return pageOf(
    rows,
    input.limit,
    (row) => [row.id],
    (row) => ({
      id: row.id,
      projectId: row.project_id,
      url: row.url,
      baseBranch: row.base_branch,
      createdAt: new Date(row.created_at).toISOString(),
    }),
  );
}
