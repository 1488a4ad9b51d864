import { audit } from "../core/audit.ts";
import { checkFields } from "../core/check-fields.ts";
import { type Context, requireAdmin } from "../core/context.ts";
import { type ChangedFields, columnsOf, type Fields, type SomeFields } from "../core/fields.ts";
import { pick } from "../core/pick.ts";
import type { Row } from "../core/store.ts";
import { updateStep } from "../core/write-row.ts";
import { type Credential, keys, tokens } from "./credential-kinds.ts";
import { activeCredentialStep } from "./credential-steps.ts";
import type { KeyFields } from "./key-fields.ts";
import type { TokenFields } from "./token-fields.ts";

interface Update<F extends Fields> {
  ctx: Context;
  /** Absent fields stay unchanged, lists are replaced. */
  input: { id: string; change: ChangedFields<F> };
}

/** Changes fields of an API token. The change holds from the next request on. */
export function updateToken(update: Update<TokenFields>): Promise<{ id: string }> {
  return updateCredential(tokens, update);
}

/** Changes fields of an SDK key. The change holds from the next report on. */
export function updateKey(update: Update<KeyFields>): Promise<{ id: string }> {
  return updateCredential(keys, update);
}

async function updateCredential<F extends Fields, R extends Row>(
  credential: Credential<F, R>,
  { ctx, input: { id, change } }: Update<F>,
): Promise<{ id: string }> {
  requireAdmin(ctx);
  const { kind, table, fields, rules, fieldsStep, relateStep } = credential;
  const given = checkFields(fields, change as SomeFields<F>, rules);
  const auditId = ctx.newId();
  await ctx.store.write(function* (tx) {
    const row = yield* activeCredentialStep(tx, credential, id, `this ${kind} is revoked and stays as it is`);
    const from = pick(yield* fieldsStep(tx, row), Object.keys(given));
    if (Bun.deepEquals(from, given)) return;
    yield* updateStep(tx, table, id, columnsOf(fields, given));
    yield* relateStep(tx, id, given);
    yield* audit(tx, ctx, auditId, `${kind}.update`, `${kind} ${id}`, { from, to: given });
  });
  ctx.changed?.({ kind, id });
  return { id };
}
