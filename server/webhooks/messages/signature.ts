import { randomBytes } from "node:crypto";

const prefix = "whsec_";
const secretBytes = 32;

/** A secret in the form of Standard Webhooks. */
export function newSecret(): string {
  return prefix + randomBytes(secretBytes).toString("base64");
}

/**
 * The headers of one attempt (Standard Webhooks 1.0): the id is the same at every attempt of a message, the time is
 * that of the attempt. There is a signature for each secret, so a receiver may know the old or the new one.
 */
export function signedHeaders(
  { id, body, secrets }: { id: string; body: Uint8Array; secrets: readonly string[] },
  now: number,
): Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string> {
  const timestamp = String(Math.floor(now / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), "base64");
    const signature = new Bun.CryptoHasher("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
    return `v1,${signature}`;
  });
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}
