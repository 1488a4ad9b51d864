/** Bytes in a backup target, which are named by their digest: what several backups have in common is stored once. */
export interface StoredObject {
  /** SHA-256 as 64 hexadecimal digits. */
  sha256: string;
  bytes: number;
}

/** Objects are listed in groups, by the first two digits of their digest. */
export const objectGroups: readonly string[] = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, "0"));

export function isDigest(text: unknown): text is string {
  return typeof text === "string" && /^[0-9a-f]{64}$/.test(text);
}

export function digestOf(bytes: Uint8Array | string): string {
  return Bun.SHA256.hash(bytes, "hex");
}

/** Memory that one piece of a database or a list takes. */
export const pieceBytes = 4 * 1024 * 1024;
