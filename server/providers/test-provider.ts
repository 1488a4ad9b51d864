import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import type { Sealing } from "../core/sealing.ts";
import { readPublicUrl } from "../core/settings.ts";
import { requireSecret } from "./client-secret.ts";
import type { KnownIssuers } from "./known-issuers.ts";
import { ProviderFailed } from "./provider-failed.ts";
import { redirectUriOf, requireProvider } from "./provider-row.ts";

interface Tested {
  issuer: string;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  /** Whether the provider says that it knows PKCE, and how sessions end there. */
  pkce: boolean;
  backChannelLogout: boolean;
  signOut: boolean;
  redirectUri: string;
}

/** Asks a provider for its discovery document and looks at its secret. Nobody signs in. */
export async function testProvider({
  ctx,
  tools: { issuers, sealing },
  input: { id },
}: {
  ctx: Context;
  tools: { issuers: KnownIssuers; sealing: Sealing };
  input: { id: string };
}): Promise<Tested> {
  requireAdmin(ctx);
  const provider = await requireProvider(ctx.store, id);
  try {
    const { server } = await issuers.of(provider.issuer, { fresh: true });
    requireSecret(sealing, provider);
    return {
      issuer: server.issuer,
      authorizationEndpoint: server.authorization_endpoint ?? "",
      tokenEndpoint: server.token_endpoint ?? "",
      pkce: server.code_challenge_methods_supported?.includes("S256") === true,
      backChannelLogout: server["backchannel_logout_supported"] === true,
      signOut: server.end_session_endpoint !== undefined,
      redirectUri: redirectUriOf(await readPublicUrl(ctx.store, ctx.publicUrl), id),
    };
  } catch (error) {
    if (!(error instanceof ProviderFailed)) throw error;
    throw new Refusal("conflict", `${provider.name} cannot be used: ${error.message}`);
  }
}
