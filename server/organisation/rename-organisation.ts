import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import { requireName } from "../core/names.ts";

export async function renameOrganisation({
  ctx,
  input,
}: {
  ctx: Context;
  input: { name: string };
}): Promise<{ id: string; name: string }> {
  requireAdmin(ctx);
  const name = requireName(input.name);
  const auditId = ctx.newId();
  const renamed = await ctx.store.write(function* (tx) {
    const before = yield* tx.one<{ id: string; name: string }>("select id, name from organisation");
    if (!before) throw new Refusal("not_found");
    yield* tx.run("update organisation set name = $2 where id = $1", [before.id, name]);
    const change = { from: { name: before.name }, to: { name } };
    yield* audit(tx, ctx, auditId, "organisation.rename", `organisation ${before.id}`, change);
    return { id: before.id, name };
  });
  ctx.changed?.({ kind: "organisation", id: renamed.id });
  return renamed;
}
