import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { inlineBytes } from "../../../openapi/schema/webhooks.ts";
import { Sealing } from "../../core/sealing.ts";
import { Links } from "../../files/links.ts";
import { bodyOf, type ReportMessage, reportMessage } from "./message.ts";

const links = new Links(new Sealing(new Uint8Array(32)));
const publicUrl = "https://intake.example.org/base";
const mark = Buffer.from("\ufeff");

function reportOf(envelope: Uint8Array, more: Partial<ReportMessage> = {}): ReportMessage {
  return {
    eventId: "0198c0de-0000-7000-8000-000000000001",
    projectId: "0198c0de-0000-7000-8000-000000000002",
    type: "crash",
    title: "It fell",
    level: "fatal",
    occurredAt: "2026-05-01T10:00:00+02:00",
    receivedAt: Date.UTC(2026, 4, 1, 8, 0, 1, 5),
    envelopeBytes: envelope.length,
    attachments: [],
    ...more,
  };
}

function sent(envelope: Uint8Array, more: Partial<ReportMessage> = {}): string {
  return Buffer.from(bodyOf(reportMessage(reportOf(envelope, more), links, publicUrl), envelope)).toString();
}

/** An envelope of exactly this many bytes. */
function ofLength(bytes: number): Buffer {
  return Buffer.from(`{"a":"${"x".repeat(bytes - 8)}"}`);
}

describe("what is sent of a report", () => {
  test("has the members of the contract in their order, and a link for each attachment", () => {
    const attachments = [
      { number: 0, id: "a0", filename: "a.png", contentType: "image/png", size: 5, sha256: "00ff" },
      { number: 2, id: "a2", filename: null, contentType: null, size: null, sha256: null },
    ];
    const { eventId, projectId } = reportOf(new Uint8Array());
    const envelope = Buffer.from('{"type":"crash"}');
    expect(sent(envelope, { attachments })).toBe(
      JSON.stringify({
        type: "report.received",
        timestamp: "2026-05-01T08:00:01.005Z",
        data: {
          eventId,
          projectId,
          reportType: "crash",
          title: "It fell",
          level: "fatal",
          occurredAt: "2026-05-01T10:00:00+02:00",
          receivedAt: "2026-05-01T08:00:01.005Z",
          url: `${publicUrl}/reports/${eventId}`,
          attachments: [
            {
              ...{ id: "a0", filename: "a.png", contentType: "image/png", size: 5, sha256: "00ff" },
              url: publicUrl + links.pathOf(eventId, 0),
            },
            {
              ...{ id: "a2", filename: null, contentType: null, size: null, sha256: null },
              url: publicUrl + links.pathOf(eventId, 2),
            },
          ],
          envelope: { type: "crash" },
        },
      }),
    );
  });

  test("holds the envelope's own text: its blanks, numbers, escapes and repeated members", () => {
    const text = '\r\n{ "n" : 1.0e+2 , "big":12345678901234567890, "a":1,"a":2, "u":"\\u00e9é\\/" }\t\n';
    expect(sent(Buffer.from(text))).toEndWith(`,"envelope":${text}}}`);
  });

  test("without the mark at its beginning, which JSON does not have in the middle", () => {
    const text = '{"mark":"\ufeff"}';
    const body = sent(Buffer.concat([mark, Buffer.from(text)]));
    expect(body).toEndWith(`,"envelope":${text}}}`);
    expect(JSON.parse(body).data.envelope).toEqual({ mark: "\ufeff" });
  });

  test("is JSON with the same envelope in it, whatever that is", () => {
    const json = fc.tuple(fc.object(), fc.boolean(), fc.option(fc.string({ unit: "binary" }), { nil: null }));
    fc.assert(
      fc.property(json, ([value, marked, title]) => {
        const text = Buffer.from(JSON.stringify(value));
        const { data } = JSON.parse(sent(marked ? Buffer.concat([mark, text]) : text, { title }));
        expect(data.envelope).toEqual(JSON.parse(text.toString()));
        expect(data.title).toBe(title);
      }),
    );
  });
});

describe("an envelope", () => {
  test(`of ${inlineBytes} bytes goes inline, and is not stored a second time`, () => {
    const envelope = ofLength(inlineBytes);
    const stored = reportMessage(reportOf(envelope), links, publicUrl);
    expect(stored.head.length + (stored.tail?.length ?? 0)).toBeLessThan(1_000);
    expect(JSON.parse(sent(envelope)).data).toMatchObject({ envelope: JSON.parse(envelope.toString()) });
  });

  test("of one more goes by a link, and nothing of it is in the message", () => {
    const envelope = ofLength(inlineBytes + 1);
    const { data } = JSON.parse(sent(envelope));
    expect(data.envelopeUrl).toBe(publicUrl + links.pathOf(data.eventId, "envelope"));
    expect(Object.keys(data)).not.toContain("envelope");
    expect(sent(envelope)).not.toContain("xxxx");
    expect(reportMessage(reportOf(envelope), links, publicUrl).tail).toBeNull();
  });
});
