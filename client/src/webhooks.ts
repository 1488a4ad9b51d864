import { IntakeError } from "./core/errors.ts";
import type { operations } from "./generated/schema.ts";
import type { Known } from "./types.ts";

type Message<Operation extends "onReportReceived" | "onWebhookTest" | "onAgentRunUpdated"> = Known<
  operations[Operation]["requestBody"]["content"]["application/json"]
>;
type Told = Message<"onReportReceived">["data"];

/** A message of Intake to a subscriber. */
export type WebhookMessage =
  | (Omit<Message<"onReportReceived">, "data"> & { data: ReceivedReport })
  | Message<"onWebhookTest">
  | (Omit<Message<"onAgentRunUpdated">, "data"> & { data: Known<Message<"onAgentRunUpdated">["data"]> });

/** What is told of a report. */
export type ReceivedReport = Omit<Known<Told>, "attachments"> & {
  attachments: readonly Known<Told["attachments"][number]>[];
};

/** The request is not one of this subscriber's. `reason` is for your log: answer 401 and say nothing. */
export class WebhookError extends IntakeError {
  override name = "WebhookError";

  constructor(readonly reason: "headers" | "secret" | "timestamp" | "signature" | "body") {
    super(`The webhook is refused: ${reason}.`);
  }
}

type HeaderSource = { get(name: string): string | null | undefined } | Record<string, string | string[] | undefined>;

/**
 * Proves that a request comes from Intake and is new, and gives its message (Standard Webhooks 1.0, HMAC-SHA256).
 *
 * ```ts
 * const message = await verifyWebhook(await request.text(), request.headers, process.env.INTAKE_WEBHOOK_SECRET ?? "");
 * if (message.type === "report.received") console.log(message.data.title);
 * ```
 *
 * A message may come more than once: `webhook-id` is the same each time.
 *
 * @param body exactly as it came, before anything has parsed it.
 * @param secrets `whsec_…`, or several while one is being replaced.
 * @param toleranceSeconds how old or how far ahead the signature may be; 300 unless told.
 * @throws WebhookError
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: HeaderSource,
  secrets: string | readonly string[],
  { toleranceSeconds = 300 }: { toleranceSeconds?: number } = {},
): Promise<WebhookMessage> {
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) =>
    headerOf(headers, `webhook-${name}`),
  );
  if (!id || !timestamp || !signatures) throw new WebhookError("headers");
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : new Uint8Array(body);
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + bytes.length);
  signed.set(head);
  signed.set(bytes, head.length);
  let matches = false;
  for (const secret of [secrets].flat()) {
    const key = await keyOf(secret);
    for (const one of signatures.split(" ")) {
      // Compared in constant time by the platform.
      if (one.startsWith("v1,")) matches = (await fits(key, one.slice(3), signed)) || matches;
    }
  }
  if (!matches) throw new WebhookError("signature");
  // After the signature: nobody else is told what the clock says here.
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceSeconds)) throw new WebhookError("timestamp");
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new WebhookError("body");
  }
}

function headerOf(headers: HeaderSource, name: string): string | undefined {
  if (typeof headers["get"] === "function") return headers["get"](name) ?? undefined;
  const value = (headers as Record<string, string | string[] | undefined>)[name];
  return Array.isArray(value) ? value[0] : value;
}

async function keyOf(secret: string): Promise<CryptoKey> {
  try {
    const raw = bytesOf(secret.replace(/^whsec_/, ""));
    return await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  } catch {
    throw new WebhookError("secret");
  }
}

async function fits(key: CryptoKey, signature: string, signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  try {
    return await crypto.subtle.verify("HMAC", key, bytesOf(signature), signed);
  } catch {
    return false;
  }
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
