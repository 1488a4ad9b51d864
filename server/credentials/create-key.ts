import { audit } from "../core/audit.ts";
import { checkFields } from "../core/check-fields.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import { newCredential, prefixes } from "../core/credential.ts";
import { type NewFields, withDefaults } from "../core/fields.ts";
import type { Step, Tx } from "../core/store.ts";
import { keys } from "./credential-kinds.ts";
import { addCredentialStep } from "./credential-steps.ts";
import { type KeyFields, keyFields } from "./key-fields.ts";

/**
 * Creates an SDK key. It ships inside apps and is therefore public; it can send reports to its project and nothing
 * else.
 */
export async function createKey({
  ctx,
  input,
}: {
  ctx: Context;
  input: NewFields<KeyFields>;
}): Promise<{ id: string; key: string }> {
  requireAdmin(ctx);
  const given = withDefaults(keyFields, checkFields(keyFields, input, keys.rules));
  const [id, auditId, now] = [ctx.newId(), ctx.newId(), ctx.now()];
  const text = newCredential(prefixes.key);
  await ctx.store.write(function* (tx) {
    yield* reportingProjectStep(tx, given.projectId);
    yield* addCredentialStep(tx, keys, { id, text, now, given, more: { value: text } });
    const { name, projectId: project, ...more } = given;
    yield* audit(tx, ctx, auditId, "key.create", `key ${id}`, { to: { name, project, ...more } });
  });
  ctx.changed?.({ kind: "key", id });
  return { id, key: text };
}

function* reportingProjectStep(tx: Tx, id: string): Step<void> {
  const project = yield* tx.one<{ archived_at: number | null }>("select archived_at from project where id = $1", [id]);
  if (!project) throw new Refusal("project_not_found", `there is no project ${id}; see: intake project list`);
  if (project.archived_at !== null) throw new Refusal("conflict", "the project is archived and takes no reports");
}
