/** A UUID of any version. */
export const uuidPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * A random UUID (RFC 9562, version 4), made of `Math.random` where `crypto.randomUUID` is missing: in pages without TLS
 * and in React Native.
 */
export function uuid(): string {
  return (
    (globalThis.crypto as Crypto | undefined)?.randomUUID?.() ??
    "10000000-1000-4000-8000-100000000000".replace(/[018]/g, (place) =>
      (+place ^ ((Math.random() * 16) >> (+place / 4))).toString(16),
    )
  );
}
