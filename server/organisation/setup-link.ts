import { rmSync, writeFileSync } from "node:fs";
import { hashOf, newSecret } from "../core/credential.ts";

const validMilliseconds = 30 * 60_000;

/**
 * The link with which the organisation is set up while there is none. Its secret is valid for 30 minutes and for one
 * use. The server keeps a hash in memory, and the link in a file that only its owner reads; no log record has it.
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
    // Browsers do not send the part after # to a server, so no log of a proxy contains the secret.
    this.url = `${publicUrl}/setup#${secret}`;
    rmSync(this.#path, { force: true });
    this.#expiry = setTimeout(() => this.close(), validMilliseconds);
    this.#expiry.unref();
    writeFileSync(this.#path, `${this.url}\n`, { mode: 0o600 });
  }

  open(): boolean {
    return !this.#closed && performance.now() < this.#until;
  }

  /** Whole seconds until the link expires. */
  seconds(): number {
    return Math.max(0, Math.floor((this.#until - performance.now()) / 1_000));
  }

  opensWith(secret: string): boolean {
    return this.open() && hashOf(secret) === this.#hash;
  }

  /** Ends the link, because it was used, it has expired or the server stops. */
  close() {
    this.#closed = true;
    clearTimeout(this.#expiry);
    rmSync(this.#path, { force: true });
  }
}
