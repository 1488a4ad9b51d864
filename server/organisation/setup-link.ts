import { rmSync, writeFileSync } from "node:fs";
import { hashOf, newSecret } from "../core/credential.ts";

const validMilliseconds = 30 * 60_000;

/**
 * The way in while there is no organisation: a secret in a link, valid for 30 minutes and until it was used. Kept as a
 * hash in memory, and as a link in a file that only its owner reads; never in a log record.
 */
export class SetupLink {
  readonly #hash: string;
  readonly #path: string;
  readonly #until: number;
  readonly #expiry: Timer;
  #closed = false;
  readonly url: string;

  constructor(folder: string, publicUrl: string) {
    const secret = newSecret();
    this.#hash = hashOf(secret);
    this.#path = `${folder}/setup-link`;
    this.#until = performance.now() + validMilliseconds;
    // After the #: it is sent to no server and stands in no proxy's log.
    this.url = `${publicUrl}/setup#${secret}`;
    rmSync(this.#path, { force: true });
    this.#expiry = setTimeout(() => this.close(), validMilliseconds);
    this.#expiry.unref();
    writeFileSync(this.#path, `${this.url}\n`, { mode: 0o600 });
  }

  open(): boolean {
    return !this.#closed && performance.now() < this.#until;
  }

  /** Left until it closes by itself. */
  seconds(): number {
    return Math.max(0, Math.floor((this.#until - performance.now()) / 1_000));
  }

  opensWith(secret: string): boolean {
    return this.open() && hashOf(secret) === this.#hash;
  }

  /** Used, or too old, or the server stops. */
  close() {
    this.#closed = true;
    clearTimeout(this.#expiry);
    rmSync(this.#path, { force: true });
  }
}
