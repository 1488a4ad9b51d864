import { audit } from "../core/audit.ts";
import type { Context } from "../core/context.ts";
import { log } from "../core/log.ts";
import { useOnceStep } from "../core/once.ts";
import type { ProviderTools } from "./begin.ts";
import { logoutTokenMilliseconds, verifyLogoutToken } from "./oidc-client.ts";
import { ProviderFailed } from "./provider-failed.ts";
import { requireProvider } from "./provider-row.ts";

/**
 * Ends the sessions of which a provider says that they have ended there (OpenID Connect Back-Channel Logout 1.0): the
 * one that the token names, or all of its subject. A token counts once. Throws {@link ProviderFailed}.
 */
export async function backChannelLogout({
  ctx,
  tools: { issuers },
  input: { provider: id, token },
}: {
  ctx: Omit<Context, "actor">;
  tools: ProviderTools;
  input: { provider: string; token: string };
}): Promise<{ ended: number }> {
  const provider = await requireProvider(ctx.store, id);
  const issuer = await issuers.of(provider.issuer);
  const { jti, subject, sid } = await verifyLogoutToken(issuer, provider, token);
  const [auditId, now] = [ctx.newId(), ctx.now()];
  const until = now + logoutTokenMilliseconds;
  const actor = { kind: "system", name: `provider ${id}` } as const;
  const ended = await ctx.store.write(function* (tx) {
    const fresh = yield* useOnceStep(tx, `logout ${provider.issuer} ${jti}`, { until, now, cutoff: ctx.cutoff });
    if (!fresh) return undefined;
    // A session whose id at the provider is not known may be the one that the token names.
    const named = subject === undefined ? "sid = $2" : "(sid = $2 or sid is null) and subject = $3";
    const whose = sid === undefined ? "subject = $2" : named;
    const ended = yield* tx.all<{ member_id: string }>(
      `delete from session where id in (select session_id from provider_session where provider_id = $1 and ${whose})
       returning member_id`,
      [id, sid ?? subject ?? "", ...(sid !== undefined && subject !== undefined ? [subject] : [])],
    );
    const [first] = ended;
    // A subject is one person here, and a session at the provider has one subject.
    if (first) {
      const to = { ended: ended.length };
      yield* audit(tx, { ...ctx, actor }, auditId, "session.revoke", `member ${first.member_id}`, { to });
    }
    return ended;
  });
  if (ended === undefined) throw new ProviderFailed("stale", "it was used before");
  log.info("a provider ended sessions", { provider: id, sessions: ended.length });
  if (ended[0]) ctx.changed?.({ kind: "member", id: ended[0].member_id });
  return { ended: ended.length };
}
