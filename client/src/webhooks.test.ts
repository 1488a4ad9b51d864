import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import fc from "fast-check";
import { verifyWebhook, WebhookError } from "./webhooks.ts";

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const other = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
const text = JSON.stringify({ type: "webhook.test", timestamp: "2026-05-01T00:00:00.000Z", data: { é: "ü\u2028" } });
const now = () => Math.floor(Date.now() / 1_000);

/** The headers of a message, signed by the rules of Standard Webhooks. */
function headersOf(body: string, { secrets = [secret], timestamp = String(now()), id = "msg_1" } = {}) {
  const signatures = secrets.map((one) => {
    const key = Buffer.from(one.replace("whsec_", ""), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}

const reasonOf = async (verifying: Promise<unknown>) => {
  const error = await verifying.then(
    () => undefined,
    (error) => error,
  );
  if (error !== undefined) expect(error).toBeInstanceOf(WebhookError);
  return error?.reason;
};

describe("a message", () => {
  const headers = headersOf(text);
  const bytes = new TextEncoder().encode(text);

  test("is told from the body as text or as bytes", async () => {
    const message = JSON.parse(text);
    const within = new Uint8Array(bytes.length + 9);
    within.set(bytes, 4);
    for (const body of [text, bytes, bytes.buffer, Buffer.from(text), within.subarray(4, 4 + bytes.length)]) {
      expect(await verifyWebhook(body, headers, secret)).toEqual(message);
    }
  });

  test("comes with headers as fetch, Node and Express have them", async () => {
    const node = { ...headers, "webhook-id": [headers["webhook-id"]], cookie: undefined };
    const express = { get: (name: string) => (headers as Record<string, string>)[name.toLowerCase()] };
    for (const source of [new Headers(headers), headers, node, express]) {
      expect(await reasonOf(verifyWebhook(text, source, secret))).toBeUndefined();
    }
  });

  test("is signed with any of the secrets, by any of the signatures", async () => {
    const both = headersOf(text, { secrets: [other, secret] });
    const signed = both["webhook-signature"];
    for (const signatures of [signed, `v1a,${"A".repeat(88)} ${signed}`, `v1,!!! v2 , ${signed}`]) {
      for (const secrets of [secret, other, [secret], [other, secret], [`whsec_${btoa("x")}`, secret]]) {
        const given = { ...both, "webhook-signature": signatures };
        expect(await reasonOf(verifyWebhook(text, given, secrets))).toBeUndefined();
      }
    }
  });

  test("is the same with the secret's prefix and without, padded and not", async () => {
    for (const one of [secret, secret.slice(6), secret.replace(/=+$/, "")]) {
      expect(await reasonOf(verifyWebhook(text, headers, one))).toBeUndefined();
    }
  });
});

describe("refused is", () => {
  test("a request without one of the headers", async () => {
    for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"] as const) {
      const { [name]: _, ...rest } = headersOf(text);
      expect(await reasonOf(verifyWebhook(text, rest, secret))).toBe("headers");
      expect(await reasonOf(verifyWebhook(text, { ...rest, [name]: "" }, secret))).toBe("headers");
      expect(await reasonOf(verifyWebhook(text, new Headers(rest), secret))).toBe("headers");
    }
  });

  test("anything that was changed on the way", async () => {
    const headers = headersOf(text);
    const later = String(Number(headers["webhook-timestamp"]) + 1);
    expect(await reasonOf(verifyWebhook(`${text} `, headers, secret))).toBe("signature");
    for (const change of [{ "webhook-id": "msg_2" }, { "webhook-timestamp": later }]) {
      expect(await reasonOf(verifyWebhook(text, { ...headers, ...change }, secret))).toBe("signature");
    }
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(bytes, fc.nat(), fc.integer({ min: 1, max: 255 }), async (body, at, turn) => {
        const given = headersOf(Buffer.from(body).toString("latin1"));
        const changed = body.slice();
        changed[at % body.length] = (changed[at % body.length] ?? 0) ^ turn;
        expect(await reasonOf(verifyWebhook(changed, given, secret))).toBe("signature");
      }),
    );
  });

  test("another's signature, none, half of one, and one of another kind", async () => {
    const signed = headersOf(text)["webhook-signature"];
    expect(await reasonOf(verifyWebhook(text, headersOf(text, { secrets: [other] }), secret))).toBe("signature");
    expect(await reasonOf(verifyWebhook(text, headersOf(text), []))).toBe("signature");
    for (const signature of [signed.slice(0, 20), signed.slice(3), `v2,${signed.slice(3)}`, "v1,", ",", " "]) {
      const given = { ...headersOf(text), "webhook-signature": signature };
      expect(await reasonOf(verifyWebhook(text, given, secret))).toBe("signature");
    }
  });

  test("an old message and one from the future, once its signature is known to be right", async () => {
    for (const [seconds, reason] of [
      [-305, "timestamp"],
      [305, "timestamp"],
      [-290, undefined],
      [290, undefined],
    ] as const) {
      const headers = headersOf(text, { timestamp: String(now() + seconds) });
      expect(await reasonOf(verifyWebhook(text, headers, secret))).toBe(reason);
      expect(await reasonOf(verifyWebhook(text, headers, other))).toBe("signature");
      expect(await reasonOf(verifyWebhook(text, headers, secret, { toleranceSeconds: 1_000 }))).toBeUndefined();
    }
    for (const timestamp of ["soon", "NaN", "-"]) {
      expect(await reasonOf(verifyWebhook(text, headersOf(text, { timestamp }), secret))).toBe("timestamp");
    }
  });

  test("a secret that is none: an empty one would let anybody sign", async () => {
    const empty = createHmac("sha256", "");
    const { "webhook-id": id, "webhook-timestamp": timestamp } = headersOf(text);
    const signature = `v1,${empty.update(`${id}.${timestamp}.${text}`).digest("base64")}`;
    const forged = { ...headersOf(text), "webhook-signature": signature };
    for (const none of ["", "whsec_", "whsec_!!!", "whsec_é", "whsec_whsec_AAAA", "whsec_A"]) {
      expect(await reasonOf(verifyWebhook(text, forged, none))).toBe("secret");
      // A wrong signature beside the right one is ignored, in either order.
      expect(await reasonOf(verifyWebhook(text, headersOf(text), [secret, none]))).toBe("secret");
    }
  });

  test("what is signed and no JSON", async () => {
    for (const body of ["", "{", "hello"]) {
      expect(await reasonOf(verifyWebhook(body, headersOf(body), secret))).toBe("body");
    }
  });
});

test("an error tells the reason, and neither secret nor body", async () => {
  const error = await verifyWebhook("{}", headersOf(text), secret).catch((error) => error);
  expect(error).toMatchObject({
    name: "WebhookError",
    reason: "signature",
    message: "The webhook is refused: signature.",
  });
  expect(`${error.stack}${JSON.stringify(error)}`).not.toContain(secret.slice(6));
});
