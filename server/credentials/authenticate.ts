import { lacking } from "../../openapi/schema/errors.ts";
import type { Scope } from "../../openapi/schema/scopes.ts";
import { Refusal } from "../core/context.ts";
import { hashOf } from "../core/credential.ts";
import type { Reader } from "../core/store.ts";
import type { TokenRow } from "./token-view.ts";

export interface AuthenticatedToken {
  id: string;
  scopes: string;
  requestsPerWindow: number;
}

/**
 * Looks a presented credential up by its hash. Missing, malformed, unknown and revoked credentials take the same path,
 * so that neither answer nor time tells them apart. Nothing is cached, so that a revoked token is refused from the next
 * request on.
 */
export async function authenticateToken(
  store: Reader,
  presented: string | undefined,
): Promise<AuthenticatedToken | undefined> {
  const row = await store.one<Pick<TokenRow, "id" | "scopes" | "requests_per_window">>(
    "select id, scopes, requests_per_window from api_token where hash = $1 and revoked_at is null",
    [hashOf(presented ?? "")],
  );
  return row && { id: row.id, scopes: row.scopes, requestsPerWindow: row.requests_per_window };
}

/** Throws `insufficient_scope` unless the token has the scope. */
export function requireScope({ scopes }: { scopes: string }, scope: Scope) {
  if (!hasScope(scopes, scope)) throw new Refusal("insufficient_scope", lacking(scope));
}

/** `scopes` as they are stored: separated by blanks. */
export function hasScope(scopes: string, scope: Scope): boolean {
  return scopes === scope || scopes.split(" ").includes(scope);
}
