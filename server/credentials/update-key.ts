import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import { requireName } from "../core/names.ts";
import type { Row } from "../core/store.ts";
import { requireOrigins } from "./origins.ts";

/** What is absent stays. Holds from the next request on. */
export interface KeyUpdate {
  name?: string | undefined;
  /** Origins that pages may send from; empty: any. */
  origins?: readonly string[] | undefined;
  requestsPerWindow?: number | undefined;
}

interface KeyRow extends Row {
  name: string;
  origins: string | null;
  requests_per_window: number;
  revoked_at: number | null;
}

export async function updateKey({
  ctx,
  input: { id, update },
}: {
  ctx: Context;
  input: { id: string; update: KeyUpdate };
}): Promise<{ id: string }> {
  requireAdmin(ctx);
  const name = update.name === undefined ? undefined : requireName(update.name);
  const origins = update.origins && requireOrigins(update.origins);
  const limit = update.requestsPerWindow;
  const auditId = ctx.newId();
  await ctx.store.write(function* (tx) {
    const key = yield* tx.one<KeyRow>(
      "select name, origins, requests_per_window, revoked_at from sdk_key where id = $1",
      [id],
    );
    if (!key) throw new Refusal("not_found", `there is no SDK key ${id}`);
    if (key.revoked_at !== null) throw new Refusal("conflict", "this key is revoked and stays as it is");
    yield* tx.run("update sdk_key set name = $2, origins = $3, requests_per_window = $4 where id = $1", [
      id,
      name ?? key.name,
      origins ? storedOrigins(origins) : key.origins,
      limit ?? key.requests_per_window,
    ]);
    const was = { name: key.name, origins: JSON.parse(key.origins ?? "[]"), limit: key.requests_per_window };
    const is = { name, origins, limit };
    const changed = (Object.keys(is) as (keyof typeof is)[]).filter((member) => is[member] !== undefined);
    const pick = (of: Record<string, unknown>) => Object.fromEntries(changed.map((member) => [member, of[member]]));
    yield* audit(tx, ctx, auditId, "key.update", `key ${id}`, { from: pick(was), to: pick(is) });
  });
  ctx.changed?.({ kind: "key", id });
  return { id };
}

function storedOrigins(origins: readonly string[]): string | null {
  return origins.length === 0 ? null : JSON.stringify(origins);
}
