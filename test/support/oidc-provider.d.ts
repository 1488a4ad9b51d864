/** What the tests use of `oidc-provider`, whose types would bring those of a whole web framework. */
declare module "oidc-provider" {
  import type { RequestListener } from "node:http";

  export interface Configuration {
    clients: Record<string, unknown>[];
    claims: Record<string, string[]>;
    conformIdTokenClaims: boolean;
    cookies: { keys: string[] };
    features: Record<string, { enabled: boolean }>;
    fetch(url: string, options: RequestInit): Promise<Response>;
    findAccount(ctx: unknown, sub: string): { accountId: string; claims(): Record<string, unknown> };
  }

  export class Provider {
    constructor(issuer: string, configuration: Configuration);
    callback(): RequestListener;
  }
}
