import { requireBranchName } from "../agents/repository-url.ts";
import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";

/** From which branch runs of a repository begin, from the next claim on; null: its own default branch. */
export async function setBaseBranch({
  ctx,
  input,
}: {
  ctx: Context;
  input: { repositoryId: string; baseBranch: string | null };
}): Promise<{ id: string; baseBranch: string | null }> {
  requireAdmin(ctx);
  const { repositoryId: id } = input;
  const baseBranch = input.baseBranch === null ? null : requireBranchName(input.baseBranch);
  const auditId = ctx.newId();
  await ctx.store.write(function* (tx) {
    const before = yield* tx.one<{ base_branch: string | null }>(
      "select base_branch from repository where id = $1 and unbound_at is null",
      [id],
    );
    if (!before) throw new Refusal("not_found", `there is no bound repository ${id}`);
    if (before.base_branch === baseBranch) return;
    yield* tx.run("update repository set base_branch = $2 where id = $1", [id, baseBranch]);
    yield* audit(tx, ctx, auditId, "repository.base_branch", `repository ${id}`, {
      from: { baseBranch: before.base_branch },
      to: { baseBranch },
    });
  });
  ctx.changed?.({ kind: "repository", id });
  return { id, baseBranch };
}
