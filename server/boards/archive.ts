import { audit } from "../access/audit.ts";
import { type Context, Refusal, requireAdmin } from "../access/context.ts";

/** An archived project or board is found by no token any more; its cards stay. */
export const archiveProject = archiver("project", "project_not_found");
export const archiveBoard = archiver("board", "board_not_found");

function archiver(table: "project" | "board", missing: "project_not_found" | "board_not_found") {
  return async ({ ctx, input }: { ctx: Context; input: { id: string } }): Promise<{ id: string }> => {
    requireAdmin(ctx);
    const { id } = input;
    const [auditId, now] = [ctx.newId(), ctx.now()];
    return ctx.store.write(function* (tx) {
      const row = yield* tx.one<{ name: string; archived_at: number | null }>(
        `select name, archived_at from ${table} where id = $1`,
        [id],
      );
      if (!row) throw new Refusal(missing, `there is no ${table} ${id}`);
      if (row.archived_at !== null) throw new Refusal("conflict", `this ${table} is archived already`);
      yield* tx.run(`update ${table} set archived_at = $2 where id = $1`, [id, now]);
      yield* audit(tx, ctx, auditId, `${table}.archive`, `${table} ${id}`, { from: { name: row.name } });
      return { id };
    });
  };
}
