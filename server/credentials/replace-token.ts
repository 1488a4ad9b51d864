import type { Scope } from "../../openapi/schema/ticket.ts";
import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import { fingerprintOf } from "../core/credential.ts";
import { createTokenStep, newToken } from "./create-token.ts";
import { scopesOf, type TokenRow } from "./list-tokens.ts";

/**
 * A new token with the name, reach, scopes and limit of one whose value is lost or must change; the old one goes on
 * until it is revoked, so that whoever uses it can change over.
 */
export async function replaceToken({
  ctx,
  input: { id: replaced },
}: {
  ctx: Context;
  input: { id: string };
}): Promise<{ id: string; token: string; fingerprint: string }> {
  requireAdmin(ctx);
  const [id, auditId, now] = [ctx.newId(), ctx.newId(), ctx.now()];
  const token = newToken();
  await ctx.store.write(function* (tx) {
    const old = yield* tx.one<TokenRow>("select * from api_token where id = $1", [replaced]);
    if (!old) throw new Refusal("not_found", `there is no API token ${replaced}`);
    const projects = yield* tx.all<{ project_id: string }>(
      "select project_id from api_token_project where token_id = $1 order by project_id",
      [replaced],
    );
    const { name, requests_per_window: requestsPerWindow } = old;
    const reach = old.reaches_all === 1 ? ("all" as const) : projects.map(({ project_id }) => project_id);
    const scopes = scopesOf(old.scopes) as Scope[];
    const { hash } = token;
    yield* createTokenStep(tx, { id, hash, name, reach, scopes, requestsPerWindow, now, author: ctx.actor.name });
    const to = { name, reach, scopes, limit: requestsPerWindow, replaces: replaced };
    yield* audit(tx, ctx, auditId, "token.create", `token ${id}`, { to });
  });
  ctx.changed?.({ kind: "token", id });
  return { id, token: token.value, fingerprint: fingerprintOf(token.hash) };
}
