import { requeueForRepositoryStep } from "../agents/requeue.ts";
import { runChanged } from "../agents/run-changed.ts";
import { audit } from "../core/audit.ts";
import { checkFields } from "../core/check-fields.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import { type NewFields, withDefaults } from "../core/fields.ts";
import { decodeCursor, type Page, type PageInput, pageOf } from "../core/page.ts";
import { projectStep } from "./create-board.ts";
import { type RepositoryFields, repositoryFields } from "./repository-fields.ts";
import { type RepositoryRow, type RepositoryView, repositoryRules, repositoryView } from "./repository-view.ts";

export async function bindRepository({
  ctx,
  input,
}: {
  ctx: Context;
  input: NewFields<RepositoryFields>;
}): Promise<{ id: string }> {
  requireAdmin(ctx);
  const given = withDefaults(repositoryFields, checkFields(repositoryFields, input, repositoryRules));
  const { projectId, url, baseBranch } = given;
  const [id, auditId, now] = [ctx.newId(), ctx.newId(), ctx.now()];
  await ctx.store.write(function* (tx) {
    yield* projectStep(tx, projectId);
    const made = yield* tx.one(
      `insert into repository (id, project_id, url, base_branch, created_at) values ($1, $2, $3, $4, $5)
       on conflict (project_id, url) where unbound_at is null do nothing returning id`,
      [id, projectId, url, baseBranch, now],
    );
    if (!made) throw new Refusal("conflict", "this repository is bound to the project already");
    yield* audit(tx, ctx, auditId, "repository.bind", `repository ${id}`, {
      to: { url, projectId, ...(baseBranch === null ? {} : { baseBranch }) },
    });
  });
  await queueWaitingRuns(ctx, projectId);
  return { id };
}

/** Queues the runs that waited for a repository of the project, some in each transaction. */
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
    const unbound = yield* tx.one<{ url: string }>(
      "update repository set unbound_at = $2 where id = $1 and unbound_at is null returning url",
      [id, now],
    );
    if (!unbound) throw new Refusal("not_found", `there is no bound repository ${id}`);
    yield* audit(tx, ctx, auditId, "repository.unbind", `repository ${id}`, { from: { url: unbound.url } });
    return { id };
  });
}

const columns = "id, project_id, url, base_branch, created_at";

/** Bound repositories, oldest first. */
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
  return pageOf(rows, input.limit, (row) => [row.id], repositoryView);
}
