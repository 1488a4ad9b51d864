import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { limits } from "../../../openapi/schema/limits.ts";
import { readForm } from "../../../test/client/queue/read-form.ts";
import { isIntakeError, LimitError } from "../core/errors.ts";
import type { AttachmentInput } from "./attachment.ts";
import { DroppedError } from "./drops.ts";
import { type PackOptions, pack } from "./pack.ts";

const at = Date.UTC(2026, 10, 1, 12);
const reportId = "0e984725-c51c-4bf4-9960-e1c80e27aba0";

async function packed(
  report: Record<string, unknown>,
  attachments: AttachmentInput[] = [],
  options: PackOptions = {},
  drops = {},
) {
  const form = await pack({ reportId, at, attachments, report }, drops, options);
  return { form, ...readForm(form) };
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error("it was packed");
    },
    (error: unknown) => error,
  );
}

/** Bytes that do not pack, and are not alike. */
function noise(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let from = 0; from < length; from += 65_536) crypto.getRandomValues(bytes.subarray(from, from + 65_536));
  return bytes;
}

describe("what stands in an envelope", () => {
  test("the report, and around it what the client knows", async () => {
    const { envelope } = await packed({ title: "t", own: { a: [1, null] } }, [], {
      app: { name: "shop", version: "4" },
    });
    expect(envelope).toEqual({
      version: 1,
      occurredAt: "2026-11-01T12:00:00.000Z",
      sdk: { name: "@intake/client", version: expect.any(String) },
      title: "t",
      own: { a: [1, null] },
      reportId,
      app: { name: "shop", version: "4" },
    });
  });

  test("what the report says itself wins, but for what the client makes", async () => {
    const report = {
      occurredAt: "2020-01-01T00:00:00Z",
      sdk: { name: "own" },
      app: { version: "5", build: "7" },
      reportId: "not this",
      attachments: ["not", "these"],
      dropped: ["nor", "these"],
      clientReport: "nor this",
    };
    const { envelope } = await packed(report, [], { app: { name: "shop", version: "4" } });
    expect(envelope).toMatchObject({
      occurredAt: "2020-01-01T00:00:00Z",
      sdk: { name: "own" },
      app: { name: "shop", version: "5", build: "7" },
      reportId,
    });
    expect(Object.keys(envelope)).not.toContainAnyValues(["attachments", "dropped", "clientReport"]);
  });

  test("the drops that nobody was told of", async () => {
    const { envelope } = await packed({}, [], {}, { queue_full: 3, refused: 1 });
    expect(envelope.clientReport).toEqual({ dropped: { queue_full: 3, refused: 1 } });
  });

  test("each attachment with its part, size and SHA-256", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array(), { maxLength: 5 }), async (all) => {
        const inputs = all.map((data, index) => ({ filename: `${index}.bin`, data, kind: "log" as const }));
        const { envelope } = await packed({}, inputs);
        expect(envelope.attachments ?? []).toEqual(
          all.map((data, index) => ({
            part: `attachment_${index}`,
            filename: `${index}.bin`,
            contentType: "application/octet-stream",
            kind: "log",
            size: data.length,
            sha256: Bun.SHA256.hash(data, "hex"),
          })),
        );
      }),
      { numRuns: 50 },
    );
  });
});

describe("beforeSend", () => {
  test("has the last word, and is given a copy without what scrub takes out", async () => {
    const given: unknown[] = [];
    const { envelope } = await packed({ title: "t", password: "x" }, [], {
      scrub: true,
      async beforeSend(report) {
        given.push(structuredClone(report));
        return { ...report, title: "changed" };
      },
    });
    expect(given).toEqual([{ title: "t", password: "[removed]" }]);
    expect(envelope).toMatchObject({ title: "changed", password: "[removed]", reportId });
  });

  const cases: Record<string, [PackOptions["beforeSend"], string]> = {
    "gives null": [() => null, "before_send"],
    "gives a promise of null": [async () => null, "before_send"],
    throws: [
      () => {
        throw new Error("hook");
      },
      "before_send_threw",
    ],
    "throws no error": [
      () => {
        throw undefined;
      },
      "before_send_threw",
    ],
    rejects: [async () => Promise.reject(new Error("hook")), "before_send_threw"],
    "gives what is no JSON": [() => ({ count: 1n }), "before_send_threw"],
    "forgets to give it back": [(() => {}) as never, "before_send_threw"],
  };
  test.each(Object.entries(cases))("that %s drops the report with its reason", async (_, [beforeSend, reason]) => {
    const error = await failure(packed({}, [], { beforeSend }));
    expect(error).toBeInstanceOf(DroppedError);
    expect((error as DroppedError).reason).toBe(reason as DroppedError["reason"]);
  });
});

describe("attachments that cannot go along", () => {
  const broken = new ReadableStream({ pull: (controller) => controller.error(new Error("disk")) });
  const many = Array.from({ length: 7 }, (_, index) => ({ filename: `${index}`, data: "x" }));

  test("are left out and named, and the others go", async () => {
    const unreadable = { filename: "log", data: new Response(broken).body ?? "" };
    const { envelope, attachments } = await packed({}, [unreadable, ...many]);
    expect(attachments.map(({ filename }) => filename)).toEqual(["0", "1", "2", "3", "4"]);
    expect(envelope.attachments?.map(({ part }) => part)).toEqual(attachments.map(({ name }) => name));
    expect(envelope.dropped).toEqual([
      { filename: "log", reason: "unreadable" },
      { filename: "5", size: 1, reason: "too_many" },
      { filename: "6", size: 1, reason: "too_many" },
    ]);
  });

  const wrong: Record<string, AttachmentInput[]> = {
    "six of them": many,
    "one that is too large": [{ filename: "large", data: new Uint8Array(limits.ingestBodyBytes + 1) }],
    "one that cannot be read": [{ filename: "none", data: {} as never }],
  };
  test.each(Object.entries(wrong))('with onTooLarge "error" give up the report: %s', async (_, inputs) => {
    expect(await failure(packed({}, inputs, { onTooLarge: "error" }))).toBeInstanceOf(LimitError);
    expect(await failure(packed({}, inputs, { onTooLarge: "drop-attachments" }).then(() => Promise.reject()))).toBe(
      undefined,
    );
  });

  test("of any shape cost themselves alone", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.anything(), { maxLength: 6 }), async (odd) => {
        const given = odd.filter((one) => one != null) as AttachmentInput[];
        const { envelope } = await packed({ title: "odd" }, given);
        expect(envelope.title).toBe("odd");
        expect((envelope.attachments?.length ?? 0) + (envelope.dropped?.length ?? 0)).toBe(given.length);
      }),
    );
  });
});

describe("a stream", () => {
  /** One that never ends, and remembers how much was taken of it. */
  function endless(chunkBytes: number) {
    const told = { bytes: 0, cancelled: false };
    const chunk = new Uint8Array(chunkBytes);
    const data = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          told.bytes += chunk.length;
          controller.enqueue(chunk);
        },
        cancel() {
          told.cancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
    return { data, told };
  }

  test("that never ends is read up to the limit, and then told to stop", async () => {
    const { data, told } = endless(65_536);
    const { envelope, attachments } = await packed({}, [
      { filename: "endless", data },
      { filename: "small", data: "x" },
    ]);
    expect(envelope.dropped).toEqual([{ filename: "endless", reason: "too_large" }]);
    expect(attachments.map(({ filename }) => filename)).toEqual(["small"]);
    expect(told.cancelled).toBe(true);
    expect(told.bytes).toBeLessThan(limits.ingestBodyBytes + 10 * 65_536);
  });

  test("takes what the limit is of memory, and no more", async () => {
    const used = async () => {
      Bun.gc(true);
      const before = process.memoryUsage.rss();
      let most = 0;
      const watch = setInterval(() => {
        most = Math.max(most, process.memoryUsage.rss());
      }, 5);
      const { data } = endless(65_537);
      await packed({}, [{ filename: "endless", data: new Response(data).body ?? "" }]);
      clearInterval(watch);
      return most - before;
    };
    await used();
    expect(await used()).toBeLessThan(4 * limits.ingestBodyBytes);
  });

  test("is read once, in pieces of any size", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 20 }), async (pieces) => {
        const data = new ReadableStream<Uint8Array>({
          start(controller) {
            for (const piece of pieces) controller.enqueue(piece.slice());
            controller.close();
          },
        });
        const { attachments } = await packed({}, [{ filename: "stream", data }]);
        expect(attachments[0]?.bytes).toEqual(Buffer.concat(pieces));
      }),
    );
  });
});

describe("limits are inclusive", () => {
  /** The message that makes an envelope of so many bytes. */
  async function messageFor(bytes: number, character: string): Promise<string> {
    const { envelope } = await packed({ message: "" });
    const room = bytes - Buffer.from(JSON.stringify(envelope)).length;
    const each = Buffer.from(character).length;
    return "x".repeat(room % each) + character.repeat(Math.floor(room / each));
  }

  test.each(["x", "ü", "😀"])("an envelope of 5 MiB goes, one byte more does not: %p", async (character) => {
    const message = await messageFor(limits.envelopeBytes, character);
    const { envelope } = await packed({ message });
    expect(Buffer.from(JSON.stringify(envelope)).length).toBe(limits.envelopeBytes);
    const error = await failure(packed({ message: `${message}x` }));
    expect(error).toBeInstanceOf(LimitError);
    expect((error as Error).message).toContain(`${limits.envelopeBytes + 1}`);
  });

  test("25 MiB in all go, of one byte more the attachment is left out", async () => {
    const data = noise(20_000_000);
    const { form } = await packed({}, [
      { filename: "a", data },
      { filename: "b", data: "" },
    ]);
    const room = limits.ingestBodyBytes - form.length;
    // The size of the second attachment stands in the envelope: of as many digits, so that nothing else changes.
    const digits = String(room).length - 1;
    const exact = await packed({}, [
      { filename: "a", data },
      { filename: "b", data: data.subarray(0, room - digits) },
    ]);
    expect(exact.form.length).toBe(limits.ingestBodyBytes);
    expect(exact.attachments).toHaveLength(2);
    const over = await packed({}, [
      { filename: "a", data },
      { filename: "b", data: data.subarray(0, room - digits + 1) },
    ]);
    expect(over.attachments.map(({ filename }) => filename)).toEqual(["a"]);
    expect(over.envelope.dropped).toEqual([{ filename: "b", size: room - digits + 1, reason: "too_large" }]);
    expect(over.form.length).toBeLessThanOrEqual(limits.ingestBodyBytes);
  });

  test("what is too large is left out whatever it is, and what comes after it goes", async () => {
    const bytes = new Uint8Array(limits.ingestBodyBytes + 1);
    const kinds: Record<string, AttachmentInput["data" & keyof AttachmentInput]> = {
      bytes,
      buffer: bytes.buffer,
      blob: new Blob([bytes]),
      text: "ü".repeat(limits.ingestBodyBytes / 2 + 1),
    } as never;
    for (const [filename, data] of Object.entries(kinds)) {
      const { envelope, attachments } = await packed({}, [
        { filename, data },
        { filename: "small", data: "x" },
      ] as never);
      expect(envelope.dropped).toMatchObject([{ filename, reason: "too_large" }]);
      expect(attachments.map((part) => part.filename)).toEqual(["small"]);
    }
  });
});

test("whatever is packed, an IntakeError is all that is thrown", async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), fc.anything(), async (report, answer) => {
      try {
        await packed(report, [], { beforeSend: () => answer as never });
      } catch (error) {
        expect(isIntakeError(error)).toBe(true);
      }
    }),
  );
});
