import http from "node:http";
import https from "node:https";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import type { CheckedAddress, Target } from "../addresses/ssrf-guard.ts";
import { CertificateEnds } from "./certificate-ends.ts";

/** Kept connections to one origin: as many as may be in flight, because many subscribers may share an origin. */
const idlePerOriginMax = 64;
/** Together with the 64 that may be in flight, at most 256 connections are open. */
const idleMax = 192;

interface PinnedOptions extends https.RequestOptions {
  addresses: readonly CheckedAddress[];
}

/**
 * Connections to receivers, kept open for the next request to the same origin when its check gives the same addresses
 * again. Proxy variables are ignored: a proxy would resolve the name itself.
 */
export class Connections {
  readonly #trust: { rejectUnauthorized: true; secureContext?: SecureContext };
  readonly #plain: http.Agent;
  readonly #secure: https.Agent;
  readonly #idleMs: number;
  readonly #ends = new CertificateEnds();

  /** `ca`: certificates in PEM, trusted in addition to the usual ones. */
  constructor({ ca = [], idleMs = 10_000 }: { ca?: readonly string[]; idleMs?: number } = {}) {
    const options = {
      keepAlive: true,
      maxFreeSockets: idlePerOriginMax,
      timeout: idleMs,
      autoSelectFamily: true,
      // The usual quarter of a second would give up on receivers across an ocean.
      autoSelectFamilyAttemptTimeout: 1_000,
    };
    // Made once, because reading all certificates takes longer than sending a message.
    const trust = ca.length > 0 ? { secureContext: createSecureContext({ ca: [...getCACertificates(), ...ca] }) } : {};
    // Set explicitly, so that no variable of the environment can switch the check off.
    this.#trust = { ...trust, rejectUnauthorized: true };
    this.#plain = this.#bound(new http.Agent(options));
    this.#idleMs = idleMs;
    // A resumed TLS session would skip the check of the certificate and of its expiry.
    this.#secure = this.#bound(new https.Agent({ ...options, ...this.#trust, maxCachedSessions: 0 }));
  }

  /**
   * Opens a request on a connection to one of the checked addresses; the caller ends it with a body of that length.
   * `fresh`: on a new connection.
   */
  open(
    { url, addresses }: Target,
    {
      method = "POST",
      headers,
      length,
      fresh,
    }: { method?: "GET" | "POST"; headers: Record<string, string>; length: number; fresh: boolean },
  ): http.ClientRequest {
    const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
    const secure = url.protocol === "https:";
    const options: PinnedOptions = {
      method,
      host,
      port: url.port || (secure ? 443 : 80),
      path: url.pathname + url.search,
      headers: { "accept-encoding": "identity", ...headers, host: url.host, "content-length": length },
      agent: fresh ? false : secure ? this.#secure : this.#plain,
      addresses,
      lookup: (_name, _options, found) => found(null, [...addresses]),
      // The dot at the end of a name is not part of the server name, and an IP address is not sent as one.
      ...(secure && { ...this.#trust, servername: isIP(host) === 0 ? host.replace(/\.$/, "") : "" }),
    };
    return (secure ? https : http).request(options);
  }

  /** Closes idle connections and those in use. */
  close() {
    this.#plain.destroy();
    this.#secure.destroy();
  }

  #bound<A extends http.Agent>(agent: A): A {
    const keepSocketAlive = agent.keepSocketAlive.bind(agent);
    return Object.assign(agent, {
      getName: ({ host, port, addresses }: PinnedOptions) =>
        [host, port, ...addresses.map(({ address }) => address).sort()].join(" "),
      keepSocketAlive: (socket: Duplex) =>
        this.#idle < idleMax &&
        // The certificate is not checked again when the connection is reused.
        this.#ends.of(socket) > Date.now() + this.#idleMs &&
        keepSocketAlive(socket),
    });
  }

  get #idle(): number {
    let count = 0;
    for (const { freeSockets } of [this.#plain, this.#secure]) {
      for (const origin in freeSockets) count += freeSockets[origin]?.length ?? 0;
    }
    return count;
  }
}
