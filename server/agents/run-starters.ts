import { type Context, Refusal } from "../core/context.ts";
import type { Reader, Step, Tx } from "../core/store.ts";

const select = "select value from setting where name = 'run_starters'";

/**
 * Refuses members who may not start or cancel runs. Runs consume credits and may open pull requests, so the setting
 * `run_starters` can keep them to admins.
 */
export function* requireStarterStep(tx: Tx, ctx: Context): Step<void> {
  if (isAdmin(ctx)) return;
  const setting = yield* tx.one<{ value: string }>(select);
  if (setting?.value === "admins") {
    throw new Refusal("permission_denied", "Only admins may start or cancel agent runs here. Ask an admin.");
  }
}

/** Whether the actor may start and cancel runs; the page hides the buttons otherwise. */
export async function mayStartRuns(store: Reader, ctx: Context): Promise<boolean> {
  return isAdmin(ctx) || (await store.one<{ value: string }>(select))?.value !== "admins";
}

function isAdmin({ actor }: Context): boolean {
  return actor.kind === "operator" || (actor.kind === "member" && actor.role === "admin");
}
