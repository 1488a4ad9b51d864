import { createHash, createSign, generateKeyPairSync, randomBytes } from "node:crypto";

const flags = { present: 1, verified: 4, attested: 64 };
const url = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");
const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest();

/** What a passkey is asked to do, and how it misbehaves. */
interface Asked {
  challenge: string;
  rpId: string;
  origin: string;
  verified?: boolean;
  type?: "webauthn.get" | "webauthn.create";
}

/** An authenticator with one passkey, in software: what it signs is what a browser would hand on. */
export class SoftPasskey {
  readonly id = url(randomBytes(32));
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  userHandle: string | undefined;
  /** How often it has signed; 0 for one that does not count. */
  counter = 0;

  /** Answers to `navigator.credentials.create`. */
  create(
    options: { challenge: string; user: { id: string }; rp: { id: string } },
    origin: string,
    asked: Partial<Asked> = {},
  ) {
    this.userHandle = options.user.id;
    const { challenge, rpId, verified } = {
      challenge: options.challenge,
      rpId: options.rp.id,
      verified: true,
      ...asked,
    };
    const id = Buffer.from(this.id, "base64url");
    const length = Buffer.from([id.length >> 8, id.length & 255]);
    const data = Buffer.concat([
      this.#data(rpId, verified, flags.attested),
      Buffer.alloc(16),
      length,
      id,
      this.#coseKey(),
    ]);
    const attestation = map([text("fmt"), text("none")], [text("attStmt"), map()], [text("authData"), bytes(data)]);
    const clientDataJSON = clientData({ type: "webauthn.create", origin, challenge, ...asked });
    return { id: this.id, clientDataJSON, attestationObject: url(attestation), transports: ["internal"] };
  }

  /** Answers to `navigator.credentials.get`. */
  get(options: { challenge: string; rpId: string }, origin: string, asked: Partial<Asked> = {}) {
    const { rpId, verified } = { rpId: options.rpId, verified: true, ...asked };
    const clientDataJSON = clientData({ type: "webauthn.get", origin, challenge: options.challenge, ...asked });
    const data = this.#data(rpId, verified, 0);
    const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, "base64url"))]);
    const signature = url(createSign("sha256").update(signed).sign(this.#keys.privateKey));
    const user = this.userHandle === undefined ? {} : { userHandle: this.userHandle };
    return { id: this.id, clientDataJSON, authenticatorData: url(data), signature, ...user };
  }

  #data(rpId: string, verified: boolean, more: number): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags.present | (verified ? flags.verified : 0) | more]), count]);
  }

  /** The public key in the form of COSE (RFC 9053): EC2, ES256, P-256. */
  #coseKey(): Buffer {
    const { x = "", y = "" } = this.#keys.publicKey.export({ format: "jwk" });
    const point = (value: string) => bytes(Buffer.from(value, "base64url"));
    return map(
      [small(1), small(2)],
      [small(3), small(-7)],
      [small(-1), small(1)],
      [small(-2), point(x)],
      [small(-3), point(y)],
    );
  }
}

function clientData({ type, origin, challenge }: { type: string; origin: string; challenge: string }): string {
  return url(Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false })));
}

/** CBOR (RFC 8949), as much as a passkey needs. */
function head(kind: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(kind << 5) | value]);
  return value < 256
    ? Buffer.from([(kind << 5) | 24, value])
    : Buffer.from([(kind << 5) | 25, value >> 8, value & 255]);
}
const small = (value: number) => (value < 0 ? head(1, -1 - value) : head(0, value));
const bytes = (value: Uint8Array) => Buffer.concat([head(2, value.length), value]);
const text = (value: string) => Buffer.concat([head(3, value.length), Buffer.from(value)]);
const map = (...entries: Buffer[][]) => Buffer.concat([head(5, entries.length), ...entries.flat()]);
