import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/**
 * What `secret.key` is for: secrets of subscribers are sealed with it before they are stored (signing needs them in the
 * clear, so a hash would not do), and links are signed with it.
 */
export class Sealing {
  readonly #key: Buffer;
  readonly #linkKey: Buffer;
  readonly #doctorKey: Buffer;
  readonly #personKey: Buffer;

  /** `key` has 32 bytes. */
  constructor(key: Uint8Array) {
    this.#key = Buffer.from(key);
    this.#linkKey = this.#derive("links");
    this.#doctorKey = this.#derive("doctor");
    this.#personKey = this.#derive("person");
  }

  /** A fingerprint: differs for another key, and reveals nothing of this one. */
  get fingerprint(): string {
    return this.#derive("fingerprint").toString("hex");
  }

  /** Encrypts a secret. `about` binds it to its row: copied to another row, it cannot be opened. */
  seal(text: string, about: string): Uint8Array {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#key, nonce).setAAD(Buffer.from(about));
    const sealed = [cipher.update(text, "utf8"), cipher.final()];
    return new Uint8Array(Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]));
  }

  /** Decrypts a secret. Throws when it was sealed with another key or for another row. */
  open(sealed: Uint8Array, about: string): string {
    const nonce = sealed.subarray(0, nonceBytes);
    const tag = sealed.subarray(nonceBytes, nonceBytes + tagBytes);
    const decipher = createDecipheriv(algorithm, this.#key, nonce).setAAD(Buffer.from(about)).setAuthTag(tag);
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]).toString("utf8");
  }

  /** Proves that a link was made here; 32 characters of base64url. */
  linkCode(about: string): string {
    return createHmac("sha256", this.#linkKey).update(about).digest("base64url").slice(0, 32);
  }

  /** Proves that whoever asks can read `secret.key`; 32 characters of base64url. */
  doctorCode(about: string): string {
    return createHmac("sha256", this.#doctorKey).update(about).digest("base64url").slice(0, 32);
  }

  /**
   * Stands for a person where their id must not be written: without `secret.key` nobody can try ids until one fits. 20
   * hex digits.
   */
  personCode(value: string): string {
    return createHmac("sha256", this.#personKey).update(value).digest("hex").slice(0, 20);
  }

  #derive(purpose: string): Buffer {
    return createHmac("sha256", this.#key).update(`intake ${purpose}`).digest();
  }
}
