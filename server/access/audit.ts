import { decodeCursor, type Page, type PageInput, pageOf } from "../store/page.ts";
import type { Row, Step, Tx } from "../store/store.ts";
import { type Context, requireAdmin } from "./context.ts";

/** One administrative act: `object` names what was changed (`token 0198…`), `from` and `to` only what differs. */
export interface AuditEntry {
  at: string;
  actor: string;
  action: string;
  object: string;
  from?: unknown;
  to?: unknown;
}

/** Writes an act to the audit log, in the transaction that does it. `id` orders entries of one moment. */
export function* audit(
  tx: Tx,
  ctx: Context,
  id: string,
  action: string,
  object: string,
  change: { from?: unknown; to?: unknown } = {},
): Step<void> {
  const { actor } = ctx;
  if (actor.kind === "token") throw new Error("tokens do not administrate");
  yield* tx.run(
    `insert into audit (id, at, actor_kind, actor_id, actor_name, action, object, before, after)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      id,
      ctx.now(),
      actor.kind,
      actor.kind === "member" ? actor.id : null,
      actor.name,
      action,
      object,
      change.from === undefined ? null : JSON.stringify(change.from),
      change.to === undefined ? null : JSON.stringify(change.to),
    ],
  );
}

interface AuditRow extends Row {
  id: string;
  at: number;
  actor_name: string;
  action: string;
  object: string;
  before: string | null;
  after: string | null;
}

/** Newest first. */
export async function listAudit({ ctx, input }: { ctx: Context; input: PageInput }): Promise<Page<AuditEntry>> {
  requireAdmin(ctx);
  const [before = "g"] = decodeCursor(input.cursor, ["string"]);
  const rows = await ctx.store.all<AuditRow>(
    "select id, at, actor_name, action, object, before, after from audit where id < $1 order by id desc limit $2",
    [before, input.limit + 1],
  );
  return pageOf(rows, input.limit, (row) => [row.id], present);
}

function present({ at, actor_name, action, object, before, after }: AuditRow): AuditEntry {
  return {
    at: new Date(at).toISOString(),
    actor: actor_name,
    action,
    object,
    ...(before === null ? {} : { from: JSON.parse(before) }),
    ...(after === null ? {} : { to: JSON.parse(after) }),
  };
}
