import { audit } from "../../core/audit.ts";
import { type Context, requireAdmin } from "../../core/context.ts";
import { inBatches } from "../../core/in-batches.ts";
import type { Store } from "../../core/store.ts";
import { deleteOfSubscriber } from "./delete-deliveries.ts";
import { subscriberStep } from "./subscriber-rows.ts";

/**
 * Removes a subscriber with its deliveries. It is disabled first, and its deliveries are deleted in small batches, so that
 * other writes never wait long; when the process is killed half-way, a second call goes on where the first stopped.
 */
export async function removeSubscriber({
  ctx,
  input: { id, progress },
}: {
  ctx: Context;
  input: { id: string; progress?: (deleted: number) => void };
}): Promise<{ id: string }> {
  requireAdmin(ctx);
  const auditId = ctx.newId();
  await ctx.store.write(function* (tx) {
    const { project_id: project, url } = yield* subscriberStep(tx, id);
    yield* tx.run("update subscriber set state = 'disabled', reason = 'being removed' where id = $1", [id]);
    yield* audit(tx, ctx, auditId, "subscriber.remove", `subscriber ${id}`, {
      from: { project, url: new URL(url).origin },
    });
  });
  await remove(ctx.store, id, progress);
  return { id };
}

/** Removes the subscribers of a project that is being deleted: the project is archived, so nothing new is enqueued. */
export async function removeSubscribersOfProject(
  store: Store,
  projectId: string,
  progress?: (deleted: number) => void,
): Promise<void> {
  for (const { id } of await store.all<{ id: string }>("select id from subscriber where project_id = $1", [
    projectId,
  ])) {
    await remove(store, id, progress);
  }
}

async function remove(store: Store, id: string, progress?: (deleted: number) => void): Promise<void> {
  await inBatches(() => deleteOfSubscriber(store, id), progress);
  await store.write((tx) => tx.run("delete from subscriber where id = $1", [id]));
}
