import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { messages } from "../../../openapi/examples/webhooks.ts";
import { type Installation, install } from "../../../test/support/installation.ts";
import { bytesMax, chatSchemas, chats } from "../../../test/webhooks/chat-schemas.ts";
import { formatBody } from "./format-body.ts";

let installation: Installation;
beforeAll(async () => {
  installation = await install();
}, 180_000);
afterAll(() => installation.remove());

async function formatted(format: (typeof chats)[number], message: object): Promise<string> {
  const body = Buffer.from(JSON.stringify(message));
  return new TextDecoder().decode(await formatBody(installation.ctx.store, format, body));
}

test("in Intake's own format the bytes stay the same", async () => {
  const body = Buffer.from('{ "type":"report.received" }');
  expect(await formatBody(installation.ctx.store, "intake", body)).toBe(body);
});

describe.each(chats)("in the format %s", (format) => {
  test.each(Object.values(messages).map((message) => [message.type, message] as const))(
    "%s fits",
    async (_, message) => {
      const text = await formatted(format, message);
      expect([...Value.Errors(chatSchemas[format], JSON.parse(text))]).toEqual([]);
      expect(Buffer.byteLength(text)).toBeLessThan(bytesMax[format]);
    },
  );

  test("a message of a type that is not known shows its name and its plain values, and no more than fits", async () => {
    const values = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`member ${n}`, "x".repeat(5_000)]));
    const data = { ...values, list: ["no"], link: "javascript:alert(1)", url: "javascript:alert(1)" };
    const text = await formatted(format, { type: "some.thing", timestamp: "", data });
    expect([...Value.Errors(chatSchemas[format], JSON.parse(text))]).toEqual([]);
    expect(text).toContain("some.thing");
    expect(text).not.toContain("javascript:");
  });

  test("a notice says what was found, what it is about, and what to do", async () => {
    const { type, timestamp, data } = messages.NoticeRaised;
    const text = await formatted(format, { type, timestamp, data: { ...data, name: "backup host" } });
    for (const part of [data.title, "9 % of the disk is free", "backup host", "Make room", data.url]) {
      expect(text).toContain(part);
    }
  });
});
