import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";

/** Archives or restores a project or board. No token can add to an archived one; its cards stay. */
export const archiveProject = archiver("project", "project_not_found", true);
export const archiveBoard = archiver("board", "board_not_found", true);
export const unarchiveProject = archiver("project", "project_not_found", false);
export const unarchiveBoard = archiver("board", "board_not_found", false);

function archiver(table: "project" | "board", missing: "project_not_found" | "board_not_found", away: boolean) {
  const act = away ? "archive" : "unarchive";
  return async ({ ctx, input }: { ctx: Context; input: { id: string } }): Promise<{ id: string }> => {
    requireAdmin(ctx);
    const { id } = input;
    const [auditId, now] = [ctx.newId(), ctx.now()];
    await ctx.store.write(function* (tx) {
      const row = yield* tx.one<{ name: string; archived_at: number | null }>(
        `select name, archived_at from ${table} where id = $1 and deleted_at is null`,
        [id],
      );
      if (!row) throw new Refusal(missing, `there is no ${table} ${id}`);
      if ((row.archived_at !== null) === away) {
        throw new Refusal("conflict", `this ${table} is ${away ? "archived already" : "not archived"}`);
      }
      yield* tx.run(`update ${table} set archived_at = $2 where id = $1`, [id, away ? now : null]);
      yield* audit(tx, ctx, auditId, `${table}.${act}`, `${table} ${id}`, { from: { name: row.name } });
    });
    ctx.changed?.({ kind: table, id });
    return { id };
  };
}
