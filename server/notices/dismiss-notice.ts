import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import type { NoticeRow } from "./notice-row.ts";
import { ruleOf } from "./rules.ts";

/**
 * Takes an open notice from the strip of every page until it is raised again; the notice of something momentary ends. It
 * changes nothing about the cause.
 */
export async function dismissNotice({
  ctx,
  input: { id },
}: {
  ctx: Context;
  input: { id: string };
}): Promise<{ id: string }> {
  requireAdmin(ctx);
  const [auditId, now] = [ctx.newId(), ctx.now()];
  await ctx.store.write(function* (tx) {
    const row = yield* tx.one<NoticeRow>("select * from notice where id = $1", [id]);
    if (!row) throw new Refusal("not_found", `there is no notice ${id}`);
    if (row.cleared_at !== null || row.dismissed_at !== null) return;
    yield* tx.run("update notice set dismissed_at = $2, dismissed_by = $3, cleared_at = $4 where id = $1", [
      id,
      now,
      ctx.actor.name,
      ruleOf(row.rule)?.momentary ? now : null,
    ]);
    yield* audit(tx, ctx, auditId, "notice.dismiss", `notice ${id}`, { to: { rule: row.rule, subject: row.subject } });
  });
  return { id };
}
