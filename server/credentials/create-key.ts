import { limits } from "../../openapi/schema/limits.ts";
import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import { hashOf, newCredential, prefixes } from "../core/credential.ts";
import { requireName } from "../core/names.ts";
import type { Step, Tx } from "../core/store.ts";
import { requireOrigins } from "./origins.ts";

export interface KeyInput {
  projectId: string;
  name: string;
  /** Reports per 60 seconds, 1 to 1,000,000; 60 when absent. */
  requestsPerWindow?: number | undefined;
  /** Origins that pages may send from; empty: any. */
  origins?: readonly string[] | undefined;
}

/** An SDK key ships inside apps, so it is public by nature: it can send reports to its project and nothing else. */
export async function createKey({
  ctx,
  input,
}: {
  ctx: Context;
  input: KeyInput;
}): Promise<{ id: string; key: string }> {
  requireAdmin(ctx);
  const name = requireName(input.name);
  const origins = requireOrigins(input.origins ?? []);
  const [id, auditId, now] = [ctx.newId(), ctx.newId(), ctx.now()];
  const value = newKey();
  await ctx.store.write(function* (tx) {
    const project = yield* tx.one<{ archived_at: number | null }>("select archived_at from project where id = $1", [
      input.projectId,
    ]);
    if (!project)
      throw new Refusal("project_not_found", `there is no project ${input.projectId}; see: intake project list`);
    if (project.archived_at !== null) throw new Refusal("conflict", "the project is archived and takes no reports");
    yield* createKeyStep(tx, { ...input, id, value, name, origins, now });
    const limit = input.requestsPerWindow ?? limits.requestsPerWindow;
    yield* audit(tx, ctx, auditId, "key.create", `key ${id}`, {
      to: { name, project: input.projectId, limit, origins },
    });
  });
  ctx.changed?.({ kind: "key", id });
  return { id, key: value };
}

export function newKey(): string {
  return newCredential(prefixes.key);
}

export function* createKeyStep(tx: Tx, key: KeyInput & { id: string; value: string; now: number }): Step<void> {
  yield* tx.run(
    `insert into sdk_key (id, project_id, name, value, hash, origins, requests_per_window, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      key.id,
      key.projectId,
      key.name,
      key.value,
      hashOf(key.value),
      key.origins && key.origins.length > 0 ? JSON.stringify(key.origins) : null,
      key.requestsPerWindow ?? limits.requestsPerWindow,
      key.now,
    ],
  );
}
