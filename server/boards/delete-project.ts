import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import type { Step, Tx } from "../core/store.ts";
import { type DeleteTools, deleteEventsOfProject } from "../ingest/delete-events.ts";
import { removeSubscribersOfProject } from "../webhooks/subscribers/remove-subscriber.ts";
import { projectStep } from "./create-board.ts";
import { type EmptyTools, emptyBoard, removeBoardStep } from "./delete-board.ts";

/**
 * Deletes a project with its boards, columns, cards, runs, stored reports, SDK keys and subscribers. Replays stay: a
 * key that is bound to a deleted ticket still answers with it. The project is hidden first and emptied in small steps,
 * so that other writes never wait long. When the process is killed half-way, the server continues, and so does a second
 * call.
 */
export async function deleteProject({
  ctx,
  tools,
  input,
}: {
  ctx: Context;
  tools: Omit<DeleteTools, "store">;
  input: { id: string; progress?: Progress };
}): Promise<{ id: string }> {
  requireAdmin(ctx);
  const { id } = input;
  const [auditId, now] = [ctx.newId(), ctx.now()];
  await ctx.store.write(function* (tx) {
    const project = yield* tx.one<{ name: string }>("select name from project where id = $1", [id]);
    if (!project) throw new Refusal("project_not_found", `there is no project ${id}`);
    yield* hideProjectStep(tx, id, now);
    yield* audit(tx, ctx, auditId, "project.delete", `project ${id}`, { from: { name: project.name } });
  });
  await removeProject({ store: ctx.store, now: ctx.now, newId: ctx.newId, ...tools }, id, input.progress);
  return { id };
}

/** Deletes a project from a page: it is hidden and unreachable at once, and emptied in the background. */
export async function discardProject({
  ctx,
  input: { id },
}: {
  ctx: Context;
  input: { id: string };
}): Promise<{ id: string }> {
  requireAdmin(ctx);
  const [auditId, now] = [ctx.newId(), ctx.now()];
  await ctx.store.write(function* (tx) {
    const project = yield* projectStep(tx, id);
    yield* hideProjectStep(tx, id, now);
    yield* audit(tx, ctx, auditId, "project.delete", `project ${id}`, { from: { name: project.name } });
  });
  ctx.changed?.({ kind: "project", id, gone: true });
  return { id };
}

/** From here on no page, link, credential or webhook finds the project, however long it takes to empty it. */
function* hideProjectStep(tx: Tx, id: string, now: number): Step<void> {
  yield* tx.run(
    "update project set archived_at = coalesce(archived_at, $2), deleted_at = coalesce(deleted_at, $2) where id = $1",
    [id, now],
  );
  yield* tx.run("update repository set unbound_at = $2 where project_id = $1 and unbound_at is null", [id, now]);
  yield* tx.run("delete from api_token_project where project_id = $1", [id]);
  yield* tx.run("delete from sdk_key where project_id = $1", [id]);
  // Nothing is sent to the project's subscribers any more; they are removed with their deliveries, which may be many.
  yield* tx.run("update subscriber set state = 'paused', open_until = null where project_id = $1", [id]);
}

type Progress = (deleted: number, what: string) => void;

/** Deletes everything in a project, then the project. */
export async function removeProject(
  tools: DeleteTools & EmptyTools,
  id: string,
  progress: Progress = () => {},
): Promise<void> {
  const { store } = tools;
  const boards = await store.all<{ id: string }>("select id from board where project_id = $1 order by id", [id]);
  for (const board of boards) await emptyBoard(tools, board.id, (deleted) => progress(deleted, "cards"));
  await removeSubscribersOfProject(store, id, (deleted) => progress(deleted, "deliveries"));
  await deleteEventsOfProject(tools, id, (deleted) => progress(deleted, "reports"));

  const moment = { now: tools.now(), newId: tools.newId };
  await store.write(function* (tx) {
    for (const board of yield* tx.all<{ id: string }>("select id from board where project_id = $1", [id])) {
      yield* removeBoardStep(tx, board.id, moment);
    }
    yield* tx.run("delete from repository where project_id = $1", [id]);
    yield* tx.run("delete from api_token_project where project_id = $1", [id]);
    yield* tx.run("delete from project_usage where project_id = $1", [id]);
    yield* tx.run("delete from sdk_key where project_id = $1", [id]);
    yield* tx.run("delete from project where id = $1", [id]);
  });
}
