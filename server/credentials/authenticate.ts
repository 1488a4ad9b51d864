import { lacking } from "../../openapi/schema/errors.ts";
import type { Scope } from "../../openapi/schema/scopes.ts";
import { Refusal } from "../core/context.ts";
import { hashOf } from "../core/credential.ts";
import type { Store } from "../core/store.ts";
import type { TokenRow } from "./token-view.ts";

export interface AuthenticatedToken {
  id: string;
  scopes: string;
  requestsPerWindow: number;
}

/**
 * Looks a presented credential up by its hash. Missing, malformed, unknown and revoked credentials take the same path,
 * so that neither answer nor time tells them apart. A revoked token is refused from the next request on.
 */
export function authenticateToken(
  store: Store,
  presented: string | undefined,
): AuthenticatedToken | Promise<AuthenticatedToken | undefined> {
  const row = store.sharedOne<FoundToken>(
    "select id, scopes, requests_per_window from api_token where hash = $1 and revoked_at is null",
    [hashOf(presented ?? "")],
  );
  return row instanceof Promise ? row.then((found) => found && authenticated(found)) : authenticated(row);
}

type FoundToken = Pick<TokenRow, "id" | "scopes" | "requests_per_window">;

function authenticated({ id, scopes, requests_per_window }: FoundToken): AuthenticatedToken {
  return { id, scopes, requestsPerWindow: requests_per_window };
}

/** Throws `insufficient_scope` unless the token has the scope. */
export function requireScope({ scopes }: { scopes: string }, scope: Scope) {
  if (!hasScope(scopes, scope)) throw new Refusal("insufficient_scope", lacking(scope));
}

/** `scopes` as they are stored: separated by blanks. */
export function hasScope(scopes: string, scope: Scope): boolean {
  return scopes === scope || scopes.split(" ").includes(scope);
}
