import { type Context, Refusal } from "../core/context.ts";
import { log } from "../core/log.ts";
import type { Sealing } from "../core/sealing.ts";
import { readPublicUrl } from "../core/settings.ts";
import { requireSecret } from "./client-secret.ts";
import { type Flow, flowMilliseconds, type Purpose, sealInto } from "./flow.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";
import type { KnownIssuers } from "./known-issuers.ts";
import { authorizationUrl } from "./oidc-client.ts";
import { ProviderFailed } from "./provider-failed.ts";
import { redirectUriOf, requireProvider } from "./provider-row.ts";
import { safePath } from "./safe-path.ts";

/** What sign-ins with providers share while the server runs. */
export interface ProviderTools {
  sealing: Sealing;
  network: GuardedFetch;
  issuers: KnownIssuers;
}

/** Begins a sign-in: where the browser goes, and the cookie that binds what comes back to this browser. */
export async function beginAtProvider({
  ctx,
  tools: { sealing, issuers },
  input: { provider: id, purpose, next, member },
}: {
  ctx: Omit<Context, "actor">;
  tools: ProviderTools;
  input: { provider: string; purpose: Purpose; next?: string | undefined; member?: string };
}): Promise<{ url: string; cookie: string }> {
  const provider = await requireProvider(ctx.store, id);
  if (provider.state !== "enabled" && purpose !== "try") throw new Refusal("not_found");
  const redirectUri = redirectUriOf(await readPublicUrl(ctx.store, ctx.publicUrl), id);
  try {
    // Nobody is sent to give a password there for a sign-in that could not be finished.
    requireSecret(sealing, provider);
    const issuer = await issuers.of(provider.issuer);
    const [state, nonce, verifier] = [random(), random(), random()] as const;
    const confirm = purpose === "confirm";
    const url = await authorizationUrl(issuer, provider, { redirectUri, state, nonce, verifier, confirm });
    const until = ctx.now() + flowMilliseconds;
    const flow: Flow = { purpose, provider: id, state, nonce, verifier, next: safePath(next), member, until };
    return { url, cookie: sealInto(sealing, "flow", flow) };
  } catch (error) {
    if (!(error instanceof ProviderFailed)) throw error;
    log.warn("a sign-in could not begin at its provider", { provider: id, reason: error.message });
    throw new Refusal(
      "service_unavailable",
      purpose === "try" ? `${provider.name}: ${error.message}` : wordsFor(provider.name, error),
    );
  }
}

function wordsFor(name: string, { failure }: ProviderFailed): string {
  if (failure !== "misconfigured") return `${name} cannot be reached at the moment.`;
  return `${name} cannot be used: its secret is missing here. An admin has to give it again.`;
}

/** 256 random bits in base64url, as PKCE wants a verifier too. */
function random(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
}
