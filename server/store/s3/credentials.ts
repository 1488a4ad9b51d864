import { readFileSync } from "node:fs";

interface S3Key {
  id: string;
  secret: string;
  /** Only of temporary credentials. */
  token: string | undefined;
}

/**
 * The key to object storage, from the variables that every S3 client reads: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and
 * AWS_SESSION_TOKEN. With `_FILE` appended, a variable names a file with the value, which may be replaced while the
 * server runs.
 */
export class S3Credentials {
  readonly #environment: Record<string, string | undefined>;
  key: S3Key;

  constructor(environment: Record<string, string | undefined>) {
    this.#environment = environment;
    this.key = this.#read();
  }

  /** Reads the files again. Returns whether the key is another one now. */
  renew(): boolean {
    const { id, secret, token } = this.key;
    try {
      this.key = this.#read();
    } catch {
      // A file may be missing for a moment while it is replaced.
      return false;
    }
    return id !== this.key.id || secret !== this.key.secret || token !== this.key.token;
  }

  #read(): S3Key {
    const id = this.#value("AWS_ACCESS_KEY_ID");
    const secret = this.#value("AWS_SECRET_ACCESS_KEY");
    if (!id || !secret) {
      const missing = id ? "AWS_SECRET_ACCESS_KEY" : "AWS_ACCESS_KEY_ID";
      throw new Error(
        `object storage needs a key: set ${missing}, or ${missing}_FILE to the name of a file that holds it`,
      );
    }
    return { id, secret, token: this.#value("AWS_SESSION_TOKEN") };
  }

  #value(name: string): string | undefined {
    const given = this.#environment[name];
    if (given) return given;
    const file = this.#environment[`${name}_FILE`];
    if (!file) return undefined;
    try {
      return readFileSync(file, "utf8").trim() || undefined;
    } catch (error) {
      throw new Error(`${name}_FILE: cannot read the file (${(error as { code?: string }).code})`);
    }
  }
}
