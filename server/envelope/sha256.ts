/** The SHA-256 digest, 32 bytes. */
export function sha256(bytes: Uint8Array | string): Uint8Array {
  return Bun.SHA256.hash(bytes) as unknown as Uint8Array;
}
