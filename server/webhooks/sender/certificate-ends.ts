import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";

/**
 * The longest that a connection is used after its certificate was checked: other certificates of the chain may expire
 * earlier.
 */
const checkedMs = 300_000;

/**
 * The time until which a connection may be used without checking the receiver's certificate again, in epoch
 * milliseconds.
 */
export class CertificateEnds {
  readonly #ends = new WeakMap<Duplex, number>();

  /** Infinite for a connection without a certificate. */
  of(socket: Duplex): number {
    if (!(socket instanceof TLSSocket)) return Number.POSITIVE_INFINITY;
    const cached = this.#ends.get(socket);
    if (cached !== undefined) return cached;
    const end = Date.parse(socket.getPeerCertificate().valid_to);
    const ends = Math.min(Number.isNaN(end) ? 0 : end, Date.now() + checkedMs);
    this.#ends.set(socket, ends);
    return ends;
  }
}
