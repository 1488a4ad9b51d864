import type { Sealing } from "../core/sealing.ts";
import { GuardedFetch } from "../providers/guarded-fetch.ts";
import { KnownIssuers } from "../providers/known-issuers.ts";
import { SsrfGuard } from "../webhooks/addresses/ssrf-guard.ts";
import { Connections } from "../webhooks/sender/connections.ts";

export interface ProviderOptions {
  /** Addresses and ranges of identity providers although they are not public. */
  providerAllow?: readonly string[];
  /** Certificates that are trusted beside the usual ones, PEM. */
  providerCa?: readonly string[];
}

/** Makes what sign-ins with identity providers share. */
export function makeProviders(sealing: Sealing, { providerAllow: allow = [], providerCa: ca = [] }: ProviderOptions) {
  const addresses = new SsrfGuard({ allow, flag: "--provider-allow" });
  const connections = new Connections({ ca });
  const network = new GuardedFetch({ addresses, connections });
  return { sealing, addresses, network, issuers: new KnownIssuers(network), close: () => connections.close() };
}
