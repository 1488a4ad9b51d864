import { audit } from "../core/audit.ts";
import { type Context, requireAdmin } from "../core/context.ts";
import { requireName } from "../core/names.ts";
import type { Step, Tx } from "../core/store.ts";
import { createBoardStep, type NamedColumn, usualColumns } from "./create-board.ts";

export interface CreatedProject {
  id: string;
  board: { id: string };
  columns: NamedColumn[];
}

/** A project comes with a board (Backlog, To do, In progress, Done), so that a ticket has a place from the start. */
export async function createProject({
  ctx,
  input,
}: {
  ctx: Context;
  input: { name: string };
}): Promise<CreatedProject> {
  requireAdmin(ctx);
  const name = requireName(input.name);
  const ids = { project: ctx.newId(), board: ctx.newId(), columns: usualColumns.map(ctx.newId) };
  const [auditId, now] = [ctx.newId(), ctx.now()];
  const made = await ctx.store.write(function* (tx) {
    const project = yield* createProjectStep(tx, { ids, name, now });
    yield* audit(tx, ctx, auditId, "project.create", `project ${project.id}`, { to: { name } });
    return project;
  });
  ctx.changed?.({ kind: "project", id: made.id });
  return made;
}

export function* createProjectStep(
  tx: Tx,
  { ids, name, now }: { ids: { project: string; board: string; columns: string[] }; name: string; now: number },
): Step<CreatedProject> {
  yield* tx.run(
    `insert into project (id, name, position, created_at)
     values ($1, $2, (select coalesce(max(position), 0) + 1 from project), $3)`,
    [ids.project, name, now],
  );
  const columns = yield* createBoardStep(tx, {
    ids,
    projectId: ids.project,
    name: "Board",
    columns: usualColumns,
    now,
  });
  return { id: ids.project, board: { id: ids.board }, columns };
}
