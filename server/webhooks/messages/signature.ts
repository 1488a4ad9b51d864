import { randomBytes } from "node:crypto";

const prefix = "whsec_";
const secretBytes = 32;

/** A secret as Standard Webhooks has it. */
export function newSecret(): string {
  return prefix + randomBytes(secretBytes).toString("base64");
}

/**
 * The headers of one attempt (Standard Webhooks 1.0): the id is the message's at every attempt, the time is the
 * attempt's. Signed with each secret, so that a receiver may know the old or the new one.
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
