import type { Context } from "../core/context.ts";
import { log } from "../core/log.ts";
import type { Session } from "../core/session.ts";
import { readPublicUrl } from "../core/settings.ts";
import type { Row } from "../core/store.ts";
import type { ProviderTools } from "./begin.ts";
import { idTokenAbout } from "./finish.ts";
import { endSessionUrl } from "./oidc-client.ts";
import { ProviderFailed } from "./provider-failed.ts";

interface SignedInRow extends Row {
  id: string;
  issuer: string;
  client_id: string;
  id_token: Uint8Array | null;
}

/**
 * Where the browser goes to sign out at the provider too (OpenID Connect RP-Initiated Logout 1.0). Undefined for
 * sessions that did not begin at one that is set so, and when the provider has no such page or cannot be reached.
 */
export async function signOutUrl(
  ctx: Omit<Context, "actor">,
  { sealing, issuers }: ProviderTools,
  session: Session,
): Promise<string | undefined> {
  const row = await ctx.store.one<SignedInRow>(
    `select p.id, p.issuer, p.client_id, s.id_token from provider_session s join provider p on p.id = s.provider_id
     where s.session_id = $1 and p.sign_out = 'provider'`,
    [session.id],
  );
  if (!row) return undefined;
  try {
    return endSessionUrl(await issuers.of(row.issuer), {
      clientId: row.client_id,
      idToken: row.id_token === null ? undefined : openToken(row.id_token),
      returnTo: `${await readPublicUrl(ctx.store, ctx.publicUrl)}/sign-in`,
    });
  } catch (error) {
    if (!(error instanceof ProviderFailed)) throw error;
    log.warn("a person was not signed out at the provider", { provider: row.id, reason: error.message });
    return undefined;
  }

  function openToken(token: Uint8Array): string | undefined {
    try {
      return sealing.open(token, idTokenAbout(session.id));
    } catch {
      // Sealed with a former key.
      return undefined;
    }
  }
}
