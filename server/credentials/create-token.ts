import { audit } from "../core/audit.ts";
import { checkFields } from "../core/check-fields.ts";
import { type Context, requireAdmin } from "../core/context.ts";
import { fingerprintOf, hashOf, newCredential, prefixes } from "../core/credential.ts";
import { type NewFields, withDefaults } from "../core/fields.ts";
import { tokens } from "./credential-kinds.ts";
import { addCredentialStep } from "./credential-steps.ts";
import { type TokenFields, tokenFields } from "./token-fields.ts";

/** Creates an API token. Only this answer contains its text; the server stores the SHA-256. */
export interface CreatedToken {
  id: string;
  token: string;
  fingerprint: string;
}

export async function createToken({
  ctx,
  input,
}: {
  ctx: Context;
  input: NewFields<TokenFields>;
}): Promise<CreatedToken> {
  requireAdmin(ctx);
  const given = withDefaults(tokenFields, checkFields(tokenFields, input));
  const [id, auditId, now] = [ctx.newId(), ctx.newId(), ctx.now()];
  const text = newCredential(prefixes.token);
  await ctx.store.write(function* (tx) {
    yield* addCredentialStep(tx, tokens, { id, text, now, given, more: { author_name: ctx.actor.name } });
    yield* audit(tx, ctx, auditId, "token.create", `token ${id}`, { to: given });
  });
  ctx.changed?.({ kind: "token", id });
  return { id, token: text, fingerprint: fingerprintOf(hashOf(text)) };
}
