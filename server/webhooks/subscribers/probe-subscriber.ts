import { audit } from "../../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../../core/context.ts";

/** Makes the next attempt of a subscriber that backs off now. Its failures stay counted: only one attempt is made. */
export async function probeSubscriber({
  ctx,
  input: { id },
}: {
  ctx: Context;
  input: { id: string };
}): Promise<{ id: string }> {
  requireAdmin(ctx);
  const [auditId, now] = [ctx.newId(), ctx.now()];
  await ctx.store.write(function* (tx) {
    const row = yield* tx.one<{ state: string; open_until: number | null }>(
      "select state, open_until from subscriber where id = $1",
      [id],
    );
    if (!row) throw new Refusal("not_found");
    if (row.state !== "active" || row.open_until === null || row.open_until <= now) {
      throw new Refusal("conflict", "This subscriber does not back off at the moment.");
    }
    yield* tx.run("update subscriber set open_until = $2 where id = $1", [id, now]);
    // The delivery that has waited longest is sent.
    yield* tx.run(
      `update delivery set next_at = $2 where id in
         (select id from delivery where subscriber_id in ($1) and state = 'waiting' order by next_at, id limit 1)
       and next_at > $2`,
      [id, now],
    );
    yield* audit(tx, ctx, auditId, "subscriber.probe", `subscriber ${id}`);
  });
  ctx.changed?.({ kind: "subscriber", id });
  return { id };
}
