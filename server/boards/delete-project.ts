import { audit } from "../access/audit.ts";
import { type Context, requireAdmin } from "../access/context.ts";
import { removeSubscribersOfProject } from "../fanout/remove-subscriber.ts";
import { type DeleteTools, deleteEventsOfProject } from "../ingest/delete-events.ts";
import { projectStep } from "./create-board.ts";
import { emptyBoard, removeBoardStep } from "./delete-board.ts";

/**
 * Takes boards, columns, cards, runs, stored reports, SDK keys and subscribers along. Replays stay: a key bound to a
 * ticket that is gone still answers with it. Archived first and emptied in small steps, so that it never holds other
 * writes up; killed half-way, a second call goes on where it stopped.
 */
export async function deleteProject({
  ctx,
  tools,
  input,
}: {
  ctx: Context;
  tools: Omit<DeleteTools, "store">;
  input: { id: string; progress?: (deleted: number, what: string) => void };
}): Promise<{ id: string }> {
  requireAdmin(ctx);
  const { id, progress = () => {} } = input;
  const [auditId, now] = [ctx.newId(), ctx.now()];
  const boards = await ctx.store.write(function* (tx) {
    const project = yield* projectStep(tx, id);
    yield* tx.run("update project set archived_at = coalesce(archived_at, $2) where id = $1", [id, now]);
    yield* audit(tx, ctx, auditId, "project.delete", `project ${id}`, { from: { name: project.name } });
    return yield* tx.all<{ id: string }>("select id from board where project_id = $1 order by id", [id]);
  });
  for (const board of boards) await emptyBoard(ctx.store, board.id, (deleted) => progress(deleted, "cards"));
  await removeSubscribersOfProject(ctx.store, id, (deleted) => progress(deleted, "deliveries"));
  await deleteEventsOfProject({ store: ctx.store, ...tools }, id, (deleted) => progress(deleted, "reports"));

  return ctx.store.write(function* (tx) {
    yield* projectStep(tx, id);
    for (const board of yield* tx.all<{ id: string }>("select id from board where project_id = $1", [id])) {
      yield* removeBoardStep(tx, board.id);
    }
    yield* tx.run("delete from repository where project_id = $1", [id]);
    yield* tx.run("delete from api_token_project where project_id = $1", [id]);
    yield* tx.run("delete from project_usage where project_id = $1", [id]);
    yield* tx.run("delete from sdk_key where project_id = $1", [id]);
    yield* tx.run("delete from project where id = $1", [id]);
    return { id };
  });
}
