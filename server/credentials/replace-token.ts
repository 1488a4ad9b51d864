import { audit } from "../core/audit.ts";
import { type Context, requireAdmin } from "../core/context.ts";
import { fingerprintOf, hashOf, newCredential, prefixes } from "../core/credential.ts";
import type { CreatedToken } from "./create-token.ts";
import { tokens } from "./credential-kinds.ts";
import { addCredentialStep, noCredential } from "./credential-steps.ts";
import { type TokenRow, tokenFieldsStep } from "./token-view.ts";

/**
 * Creates a new token with every field of one whose value was lost or must change. The former token stays valid until
 * it is revoked, so that its users can change over.
 */
export async function replaceToken({
  ctx,
  input: { id: replaced },
}: {
  ctx: Context;
  input: { id: string };
}): Promise<CreatedToken> {
  requireAdmin(ctx);
  const [id, auditId, now] = [ctx.newId(), ctx.newId(), ctx.now()];
  const text = newCredential(prefixes.token);
  await ctx.store.write(function* (tx) {
    const old = yield* tx.one<TokenRow>("select * from api_token where id = $1", [replaced]);
    if (!old) throw noCredential("token", replaced);
    const given = yield* tokenFieldsStep(tx, old);
    yield* addCredentialStep(tx, tokens, { id, text, now, given, more: { author_name: ctx.actor.name } });
    yield* audit(tx, ctx, auditId, "token.create", `token ${id}`, { to: { ...given, replaces: replaced } });
  });
  ctx.changed?.({ kind: "token", id });
  return { id, token: text, fingerprint: fingerprintOf(hashOf(text)) };
}
