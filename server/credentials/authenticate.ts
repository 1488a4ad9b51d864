import { hashOf } from "../core/credential.ts";
import type { Reader } from "../core/store.ts";
import type { TokenRow } from "./token-view.ts";

export interface AuthenticatedToken {
  id: string;
  scopes: string;
  requestsPerWindow: number;
}

/**
 * Looks a presented credential up by its hash. Missing, malformed, unknown and revoked ones take the same path, so
 * that neither answer nor time tells them apart; nothing is cached, so that a revoke holds at once.
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

export function hasScope(scopes: string, scope: string): boolean {
  return scopes === scope || scopes.split(" ").includes(scope);
}
