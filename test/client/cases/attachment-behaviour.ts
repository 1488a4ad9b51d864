import { type AttachmentInput, type Attachments, LimitError } from "@intake/client/ingest";
import { equal, ok } from "./check.ts";
import type { Case } from "./env.ts";
import { ask, failure } from "./kit.ts";
import { attachment, envelope, event, reportsOf } from "./stored.ts";

/** Every byte value, with sequences at both ends that parsers of forms and texts misread. */
const bytes = Uint8Array.from([
  0x0d,
  0x0a,
  0x2d,
  0x2d,
  0,
  ...Array.from({ length: 256 }, (_, byte) => byte),
  0,
  0x0d,
  0x0a,
]);
const text = "Größe 😀\r\n\n--\r\n\u0000 end\r";

function streamOf(...chunks: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

/** A view into a larger buffer: the bytes around it are not part of the attachment. */
function windowed(): Uint8Array {
  const around = new Uint8Array(bytes.length + 20).fill(0x58);
  around.set(bytes, 10);
  return around.subarray(10, 10 + bytes.length);
}

const kindsOfData: Record<string, [make: () => AttachmentInput, content: number[], contentType: string]> = {
  "a Blob": [
    () => ({ filename: "a.bin", data: new Blob([bytes], { type: "application/x-thing" }), kind: "log" }),
    [...bytes],
    "application/x-thing",
  ],
  "a File": [() => new File([bytes], "a.bin", { type: "image/png" }), [...bytes], "image/png"],
  "a File as data": [
    () => ({ filename: "a.bin", data: new File([bytes], "b.png"), contentType: "image/png" }),
    [...bytes],
    "image/png",
  ],
  "a Uint8Array": [() => ({ filename: "a.bin", data: windowed() }), [...bytes], "application/octet-stream"],
  "an ArrayBuffer": [() => ({ filename: "a.bin", data: bytes.slice().buffer }), [...bytes], "application/octet-stream"],
  "a ReadableStream": [
    () => ({ filename: "a.bin", data: streamOf(bytes.slice(0, 7), new Uint8Array(), bytes.slice(7)) }),
    [...bytes],
    "application/octet-stream",
  ],
  "a string": [
    () => ({ filename: "a.bin", data: text, contentType: "text/plain" }),
    [...new TextEncoder().encode(text)],
    "text/plain",
  ],
  "nothing at all": [() => ({ filename: "a.bin", data: new Uint8Array() }), [], "application/octet-stream"],
};

function dataCase(kind: string, [make, content, contentType]: (typeof kindsOfData)[string]): Case {
  return [
    `an attachment that is ${kind} is stored byte for byte`,
    async (env) => {
      const { reports } = await reportsOf(env);
      const receipt = await reports.submit({ title: kind }, { attachments: [make()] });
      equal(receipt.warnings, undefined, "warnings");
      const [shown] = (await event(env, receipt.eventId)).attachments;
      equal(
        [shown?.filename, shown?.contentType, shown?.size, shown?.state],
        ["a.bin", contentType, content.length, "stored"],
      );
      equal(await attachment(env, receipt.eventId, 0), content, "what was stored");
    },
  ];
}

const names: Record<string, string> = {
  'line\r\nend"quote".txt': "line__end_quote_.txt",
  "C:\\Users\\me/../etc/passwd": "C__Users_me_.._etc_passwd",
  "Größe 😀.png": "Größe 😀.png",
  "\u0000\u0007": "__",
  "": "attachment",
  "a;b.txt": "a_b.txt",
};

export const attachmentBehaviour: Case[] = [
  ...Object.entries(kindsOfData).map(([kind, data]) => dataCase(kind, data)),
  [
    "five attachments keep their order, kinds and digests",
    async (env) => {
      const { reports } = await reportsOf(env);
      const kinds = ["screenshot", "recording", "log", "view_hierarchy", "other"] as const;
      const attachments = kinds.map((kind, index) => ({ filename: `${kind}.bin`, data: `${index}`, kind }));
      const { eventId } = await reports.submit({}, { attachments: attachments as unknown as Attachments });
      const shown = await event(env, eventId);
      equal(
        shown.attachments.map(({ kind }) => kind),
        kinds,
        "kinds",
      );
      equal(
        shown.attachments.map(({ state }) => state),
        Array(5).fill("stored"),
        "states",
      );
      const listed = (await envelope(env, eventId))["attachments"] as { sha256: string; size: number }[];
      equal(
        listed.map(({ sha256 }) => sha256),
        shown.attachments.map(({ sha256 }) => sha256),
        "digests",
      );
    },
  ],
  [
    "names of files are cleaned of what a form or a folder stumbles over",
    async (env) => {
      const { reports } = await reportsOf(env);
      for (const [filename, expected] of Object.entries(names)) {
        const { eventId, warnings } = await reports.submit({}, { attachments: [{ filename, data: "x" }] });
        const [shown] = (await event(env, eventId)).attachments;
        equal([shown?.filename, shown?.state, warnings], [expected, "stored", undefined], JSON.stringify(filename));
      }
    },
  ],
  [
    "a sixth attachment is a LimitError to submit, and is left out and named by capture",
    async (env) => {
      const { reports } = await reportsOf(env);
      const attachments = Array.from({ length: 6 }, (_, index) => ({
        filename: `${index}`,
        data: "x",
      })) as unknown as Attachments;
      const error = await failure(reports.submit({ title: "six" }, { attachments }));
      ok(error instanceof LimitError, `${error.name}: ${error.message}`);
      const id = reports.capture({ title: "six" }, { attachments });
      equal(await reports.flush(20_000), true, "flush");
      const { items } = await ask<{ items: { id: string; reportId: string }[] }>(env, "/events");
      const stored = items.find(({ reportId }) => reportId === id);
      ok(stored, "no event");
      equal((await event(env, stored.id)).attachments.length, 5, "attachments");
      equal((await envelope(env, stored.id))["dropped"], [{ filename: "5", size: 1, reason: "too_many" }], "dropped");
    },
  ],
  [
    "what is too large is left out and named, or an error",
    async (env) => {
      const { reports } = await reportsOf(env);
      const attachments: Attachments = [
        { filename: "small", data: "x" },
        { filename: "large", data: new Uint8Array(27_000_000) },
        { filename: "small too", data: "y" },
      ];
      const { eventId } = await reports.submit({ title: "large" }, { attachments });
      const dropped = (await envelope(env, eventId))["dropped"];
      equal(dropped, [{ filename: "large", size: 27_000_000, reason: "too_large" }], "dropped");
      equal(
        (await event(env, eventId)).attachments.map(({ filename, state }) => [filename, state]),
        [
          ["small", "stored"],
          ["small too", "stored"],
        ],
      );

      const { reports: strict } = await reportsOf(env, { onTooLarge: "error" });
      const error = await failure(strict.submit({ title: "large" }, { attachments }));
      ok(error instanceof LimitError, `${error.name}: ${error.message}`);
      const envelopeError = await failure(reports.submit({ message: "x".repeat(5_300_000) }));
      ok(envelopeError instanceof LimitError, `${envelopeError.name}: ${envelopeError.message}`);
    },
  ],
  [
    "a report just below the limit is taken, in one piece",
    async (env) => {
      const { reports } = await reportsOf(env);
      const data = new Uint8Array(26_214_400 - 2_000);
      for (let at = 0; at < data.length; at += 4_096) data[at] = at % 251;
      const { eventId, warnings } = await reports.submit(
        { title: "full" },
        { attachments: [{ filename: "full", data }], timeoutMs: 60_000 },
      );
      equal(warnings, undefined, "warnings");
      equal(
        (await event(env, eventId)).attachments.map(({ size, state }) => [size, state]),
        [[data.length, "stored"]],
      );
    },
  ],
];
