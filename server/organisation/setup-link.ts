import { rmSync, writeFileSync } from "node:fs";
import { hashOf, newSecret } from "../core/credential.ts";

const validMilliseconds = 30 * 60_000;

/** Hashes of the secrets with which the organisation can be set up while there is none. */
export interface SetupSecrets {
  add(hash: string, milliseconds: number): void | Promise<void>;
  /** Milliseconds until the last one expires; 0 when there is none. */
  left(): number | Promise<number>;
  /** Whether this one is valid. */
  has(hash: string): boolean | Promise<boolean>;
  remove(hash: string): void | Promise<void>;
  /** To be called once the organisation is there: none is valid any more. */
  clear(): void | Promise<void>;
}

/**
 * The link with which the organisation is set up while there is none. Its secret is valid for 30 minutes and for one
 * use. The server keeps a hash, and the link in a file that only its owner reads; no log record has it.
 */
export class SetupLink {
  readonly url: string;
  readonly #secrets: SetupSecrets;
  readonly #hash: string;
  readonly #path: string;
  readonly #expiry: Timer;

  private constructor(secrets: SetupSecrets, folder: string, { url, hash }: { url: string; hash: string }) {
    this.#secrets = secrets;
    this.#hash = hash;
    this.#path = `${folder}/setup-link`;
    this.url = url;
    rmSync(this.#path, { force: true });
    this.#expiry = setTimeout(() => this.#removeFile(), validMilliseconds);
    this.#expiry.unref();
    writeFileSync(this.#path, `${this.url}\n`, { mode: 0o600 });
  }

  static async make(secrets: SetupSecrets, folder: string, publicUrl: string): Promise<SetupLink> {
    const secret = newSecret();
    const hash = hashOf(secret);
    await secrets.add(hash, validMilliseconds);
    // Browsers do not send the part after # to a server, so no log of a proxy contains the secret.
    return new SetupLink(secrets, folder, { url: `${publicUrl}/setup#${secret}`, hash });
  }

  /** Ends the link, because the organisation is there or the server stops. */
  async close(): Promise<void> {
    this.#removeFile();
    await this.#secrets.remove(this.#hash);
  }

  #removeFile() {
    clearTimeout(this.#expiry);
    rmSync(this.#path, { force: true });
  }
}

/** The secrets of one process that nobody shares the store with. */
export class OwnSetupSecrets implements SetupSecrets {
  readonly #until = new Map<string, number>();

  add(hash: string, milliseconds: number) {
    this.#until.set(hash, performance.now() + milliseconds);
  }

  left(): number {
    return Math.max(0, ...[...this.#until.values()].map((until) => until - performance.now()));
  }

  has(hash: string): boolean {
    return (this.#until.get(hash) ?? 0) > performance.now();
  }

  remove(hash: string) {
    this.#until.delete(hash);
  }

  clear() {
    this.#until.clear();
  }
}
