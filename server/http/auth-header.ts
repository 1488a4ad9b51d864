import { isMailAddress } from "../core/mail-address.ts";
import type { ProxyPerson } from "../core/session.ts";
import type { SourceAddresses } from "./source-address.ts";

/**
 * Reads the header in which an access proxy names who is signed in there. Only the peer of the connection is asked
 * whether it is trusted: a header that came through an untrusted machine is what that machine has written. Its value
 * reaches no log and no answer.
 */
export class AuthHeader {
  readonly #name: string;
  readonly #addresses: Pick<SourceAddresses, "trusts">;

  constructor(name: string, addresses: Pick<SourceAddresses, "trusts">) {
    this.#name = name;
    this.#addresses = addresses;
  }

  /** Undefined without the header, with an empty one, and when the peer is not a trusted proxy. */
  personOf({ headers }: Pick<Request, "headers">, peer: string | undefined): ProxyPerson | undefined {
    const value = headers.get(this.#name)?.trim() ?? "";
    if (value === "" || !this.#addresses.trusts(peer)) return undefined;
    // Several headers of one name arrive joined by commas, which no address contains: one of them may be forged.
    const email = value.toLowerCase();
    return isMailAddress(email) ? { email } : "unclear";
  }
}

/** Headers that already mean something else, or that clients and browsers set by themselves. */
const taken =
  /^(accept|access-control|content|if|proxy|sec)-|^(accept|authorization|cache-control|connection|cookie|date|expect|forwarded|from|host|idempotency-key|keep-alive|last-event-id|origin|priority|range|referer|te|traceparent|tracestate|trailer|transfer-encoding|upgrade|user-agent|via|x-forwarded-(for|host|port|proto|server)|x-intake-.*|x-real-ip|x-request-id)$/;

/** Checks the name of the header that the operator gave, and returns it in lower case. */
export function requireAuthHeader(given: string): string {
  const name = given.toLowerCase();
  // Some servers take _ and - for the same, so that a client could send a second spelling past the proxy.
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(name)) {
    throw new Error("must be the name of a header, of letters, digits and -, such as Remote-Email");
  }
  if (taken.test(name)) throw new Error("must be a header that the access proxy sets for this, such as Remote-Email");
  return name;
}
