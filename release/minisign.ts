import { createPrivateKey, createPublicKey, randomBytes, scryptSync, sign } from "node:crypto";

/**
 * Signatures in the format of minisign, of the kind that minisign itself makes (Ed25519 over BLAKE2b-512), by the
 * cryptography of the runtime: a key then comes from a file or the environment on every platform, is never an argument
 * of a process, and no prompt stops a release. `minisign -V` verifies them, and so does OpenSSL 3.
 */
export interface SecretKey {
  id: Uint8Array;
  seed: Uint8Array;
}

/** Reads the file that `minisign -G` writes. Throws an Error that repeats nothing of it. */
export function readSecretKey(text: string, password?: string): SecretKey {
  const bytes = Buffer.from(text.trim().split(/\r?\n/).at(-1) ?? "", "base64");
  if (bytes.length !== 158 || bytes.toString("latin1", 0, 2) !== "Ed" || bytes.toString("latin1", 4, 6) !== "B2") {
    throw new Error("the key is no secret key of minisign");
  }
  const kind = bytes.toString("latin1", 2, 4);
  const secret = Buffer.from(bytes.subarray(54));
  if (kind === "Sc") {
    if (password === undefined) throw new Error("the key has a password: set INTAKE_RELEASE_KEY_PASSWORD");
    const stream = deriveStream(password, bytes.subarray(6, 38), bytes.readBigUInt64LE(38), bytes.readBigUInt64LE(46));
    for (let i = 0; i < secret.length; i++) secret[i] = (secret[i] ?? 0) ^ (stream[i] ?? 0);
  } else if (kind !== "\0\0") throw new Error("the key is protected in a way that is not known");
  const [id, keyPair, checksum] = [secret.subarray(0, 8), secret.subarray(8, 72), secret.subarray(72)];
  const key = { id, seed: keyPair.subarray(0, 32) };
  const isPair = publicBytes(key).equals(keyPair.subarray(32));
  // minisign writes no checksum into a key without a password.
  if (kind === "\0\0" && checksum.every((byte) => byte === 0) && isPair) return key;
  const expected = new Bun.CryptoHasher("blake2b256").update("Ed").update(id).update(keyPair).digest();
  if (!isPair || !expected.equals(checksum)) throw new Error("the password of the key is wrong, or the key is damaged");
  return key;
}

/** A new key, as the file of the secret key without a password. */
export function makeSecretKey(): { text: string; key: SecretKey } {
  const key = { id: randomBytes(8), seed: randomBytes(32) };
  const keyPair = Buffer.concat([key.seed, publicBytes(key)]);
  const bytes = Buffer.concat([Buffer.from("Ed\0\0B2"), Buffer.alloc(48), key.id, keyPair, Buffer.alloc(32)]);
  return { text: `untrusted comment: minisign secret key\n${bytes.toString("base64")}\n`, key };
}

/** The one line by which people know the key. */
export function publicKey(key: SecretKey): string {
  return Buffer.concat([Buffer.from("Ed"), key.id, publicBytes(key)]).toString("base64");
}

/** The file of a signature. The comment is signed too. */
export function signatureOf(content: Uint8Array, key: SecretKey, trustedComment: string): string {
  const secret = privateKey(key);
  const digest = new Bun.CryptoHasher("blake2b512").update(content).digest();
  const signature = sign(null, digest, secret);
  const both = sign(null, Buffer.concat([signature, Buffer.from(trustedComment)]), secret);
  return [
    "untrusted comment: signature of a release of Intake",
    Buffer.concat([Buffer.from("ED"), key.id, signature]).toString("base64"),
    `trusted comment: ${trustedComment}`,
    both.toString("base64"),
    "",
  ].join("\n");
}

/** PKCS #8 of Ed25519 up to the 32 bytes of the key (RFC 8410, section 7). */
const pkcs8 = Buffer.from("302e020100300506032b657004220420", "hex");

function privateKey({ seed }: SecretKey) {
  return createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: "der", type: "pkcs8" });
}

function publicBytes(key: SecretKey): Buffer {
  return createPublicKey(privateKey(key)).export({ format: "der", type: "spki" }).subarray(-32);
}

/** The stream of scrypt with the parameters that libsodium makes of the two limits. */
function deriveStream(password: string, salt: Uint8Array, operations: bigint, memory: bigint): Uint8Array {
  const r = 8;
  const few = operations < memory / 32n;
  const bound = few ? Number(operations) / (4 * r) : Number(memory) / (128 * r);
  let N = 2;
  while (N <= bound / 2) N *= 2;
  const p = few ? 1 : Math.min(0x3fffffff, Math.floor(Number(operations) / 4 / N)) / r;
  return scryptSync(password, salt, 104, { N, r, p: Math.floor(p), maxmem: 2 * 128 * N * r + 2 ** 20 });
}
