import { IntakeError } from "./core/errors.ts";
import type { operations } from "./generated/schema.ts";
import type { Known } from "./types.ts";

type Message<Operation extends Extract<keyof operations, `on${string}`>> = Known<
  operations[Operation]["requestBody"]["content"]["application/json"]
>;
/** A message with its data, both without members that are not documented. */
type Whole<Operation extends Extract<keyof operations, `on${string}`>> = Omit<Message<Operation>, "data"> & {
  data: Known<Message<Operation>["data"]>;
};
type ReportData = Message<"onReportReceived">["data"];

/** A message that Intake sends to a webhook subscriber. */
export type WebhookMessage =
  | (Omit<Message<"onReportReceived">, "data"> & { data: ReceivedReport })
  | Message<"onWebhookTest">
  | Whole<"onAgentRunUpdated">
  | Whole<"onAuditRecorded">
  | Whole<"onNoticeRaised">
  | Whole<"onNoticeCleared">;

/** `data` of the message about a received report. */
export type ReceivedReport = Omit<Known<ReportData>, "attachments"> & {
  attachments: readonly Known<ReportData["attachments"][number]>[];
};

/** The request does not come from Intake, or is too old. Log `reason`, and answer 401 without details. */
export class WebhookError extends IntakeError {
  override name = "WebhookError";

  constructor(readonly reason: "headers" | "secret" | "timestamp" | "signature" | "body") {
    super(`The webhook is refused: ${reason}.`);
  }
}

type HeaderSource = { get(name: string): string | null | undefined } | Record<string, string | string[] | undefined>;

/**
 * Verifies that a request comes from Intake and is recent, and returns its message (Standard Webhooks 1.0, HMAC-SHA256).
 *
 * ```ts
 * const message = await verifyWebhook(await request.text(), request.headers, process.env.INTAKE_WEBHOOK_SECRET ?? "");
 * if (message.type === "report.received") console.log(message.data.title);
 * ```
 *
 * A message may arrive more than once; its header `webhook-id` is the same each time.
 *
 * @param body the bytes or text of the request exactly as received: a body that was parsed and written again has another signature.
 * @param secrets the subscriber's secret (`whsec_…`), or several while it is being rotated.
 * @param toleranceSeconds how old, or how far ahead of this clock, the signature may be. Default: 300.
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
    const key = await importSecret(secret);
    for (const one of signatures.split(" ")) {
      // The platform's `verify` compares in constant time.
      if (one.startsWith("v1,")) matches = (await isSignedBy(key, one.slice(3), signed)) || matches;
    }
  }
  if (!matches) throw new WebhookError("signature");
  // Checked after the signature, so that a forged request cannot find out this machine's time.
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

async function importSecret(secret: string): Promise<CryptoKey> {
  try {
    const raw = decodeBase64(secret.replace(/^whsec_/, ""));
    return await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  } catch {
    throw new WebhookError("secret");
  }
}

async function isSignedBy(key: CryptoKey, signature: string, signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  try {
    return await crypto.subtle.verify("HMAC", key, decodeBase64(signature), signed);
  } catch {
    return false;
  }
}

function decodeBase64(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
