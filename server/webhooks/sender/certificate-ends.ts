import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";

/** How long a connection may go on with a certificate that was checked once: others of its chain may end earlier. */
const checkedMs = 300_000;

/** Until when the check of the receiver's certificate holds for a connection, in epoch milliseconds. */
export class CertificateEnds {
  readonly #ends = new WeakMap<Duplex, number>();

  /** Without end where there is no certificate. */
  of(socket: Duplex): number {
    if (!(socket instanceof TLSSocket)) return Number.POSITIVE_INFINITY;
    const known = this.#ends.get(socket);
    if (known !== undefined) return known;
    const end = Date.parse(socket.getPeerCertificate().valid_to);
    const ends = Math.min(Number.isNaN(end) ? 0 : end, Date.now() + checkedMs);
    this.#ends.set(socket, ends);
    return ends;
  }
}
