import { existsSync } from "node:fs";
import { copyKey, readSealing } from "../../core/open-sealing.ts";
import type { MoveEnd } from "./ends.ts";

/**
 * Secrets of subscribers are sealed, and stay so: the target needs the same key. Throws unless it has that one, or has
 * none and the source has it; returns what copies the key to a target that has none.
 */
export async function requireSecretKey(source: MoveEnd, target: MoveEnd): Promise<() => void> {
  const [row] = await source.all<{ fingerprint: string }>(
    "select fingerprint from sealing order by fingerprint limit 1",
  );
  // Nothing was ever sealed.
  if (!row) return () => {};
  const there = existsSync(target.secretKey);
  readSealing(there ? target.secretKey : source.secretKey, row.fingerprint);
  return () => {
    if (!there) copyKey(source.secretKey, target.secretKey);
  };
}
