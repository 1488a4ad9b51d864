import type { Actor, Context } from "./context.ts";
import type { Step, Tx } from "./store.ts";

/** Who an entry of the audit log can name: every actor, the system itself, and somebody who is not signed in yet. */
export type Author = Actor | { kind: "system" | "visitor"; name: string };

/** An entry of the audit log as it is written. */
export interface RecordedAct {
  id: string;
  /** Epoch milliseconds. */
  at: number;
  actor: Author;
  action: string;
  object: string;
  from?: unknown;
  to?: unknown;
  network: string | undefined;
  requestId: string | undefined;
}

/**
 * Writes an entry to the audit log, in the transaction of the act, and enqueues what subscribers are told of it.
 * `object` names what was changed (`token 0198…`), `from` and `to` contain only what differs. `id` orders entries of
 * the same millisecond.
 */
export function* audit(
  tx: Tx,
  ctx: Pick<Context, "now" | "network" | "requestId" | "audited"> & { actor: Author },
  id: string,
  action: string,
  object: string,
  change: { from?: unknown; to?: unknown } = {},
): Step<void> {
  const { actor, network, requestId } = ctx;
  const at = ctx.now();
  yield* tx.run(
    `insert into audit (id, at, actor_kind, actor_id, actor_name, action, object, before, after, network, request_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      id,
      at,
      actor.kind,
      "id" in actor ? actor.id : null,
      actor.name,
      action,
      object,
      change.from === undefined ? null : JSON.stringify(change.from),
      change.to === undefined ? null : JSON.stringify(change.to),
      network ?? null,
      requestId ?? null,
    ],
  );
  yield* ctx.audited(tx, { id, at, actor, action, object, ...change, network, requestId });
}
