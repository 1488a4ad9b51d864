import { audit } from "../core/audit.ts";
import { type Context, requireAdmin } from "../core/context.ts";
import { requireName } from "../core/names.ts";
import { projectStep } from "./create-board.ts";

/** Renames a project. */
export async function updateProject({
  ctx,
  input,
}: {
  ctx: Context;
  input: { id: string; name: string };
}): Promise<{ id: string }> {
  requireAdmin(ctx);
  const { id } = input;
  const name = requireName(input.name);
  const auditId = ctx.newId();
  await ctx.store.write(function* (tx) {
    const project = yield* projectStep(tx, id);
    if (project.name === name) return;
    yield* tx.run("update project set name = $2 where id = $1", [id, name]);
    const change = { from: { name: project.name }, to: { name } };
    yield* audit(tx, ctx, auditId, "project.rename", `project ${id}`, change);
  });
  ctx.changed?.({ kind: "project", id });
  return { id };
}
