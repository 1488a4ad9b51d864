import type { Sealing } from "./sealing.ts";

/**
 * What has begun and is not finished, as text for whoever began it to bring back: sealed, so that every process of the
 * installation can read it, nothing is stored for strangers, and nobody else can make one. `about` says what it is for.
 */
export function sealState(sealing: Sealing, about: string, value: { until: number }): string {
  return Buffer.from(sealing.seal(JSON.stringify(value), about)).toString("base64url");
}

/** The first of the texts that was sealed here for this purpose and is not too old; undefined without one. */
export function openState<T extends { until: number }>(
  sealing: Sealing,
  about: string,
  texts: readonly string[],
  now: number,
): T | undefined {
  for (const text of texts) {
    try {
      const value = JSON.parse(sealing.open(Buffer.from(text, "base64url"), about)) as T;
      if (value.until > now) return value;
    } catch {
      // Made elsewhere, or with a former key.
    }
  }
  return undefined;
}
