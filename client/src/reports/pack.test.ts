import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { limits } from "../../../openapi/schema/limits.ts";
import { packed, refusal, reportId } from "../../../test/client/queue/packed.ts";
import { isIntakeError, LimitError } from "../core/errors.ts";
import type { AttachmentInput } from "./attachment.ts";
import { DroppedError } from "./dropped-error.ts";
import type { PackOptions } from "./pack.ts";
import { scrub } from "./scrub.ts";

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
  test("has the last word, also with what scrub leaves", async () => {
    const given: unknown[] = [];
    const { envelope } = await packed({ title: "t", password: "x" }, [], {
      async beforeSend(whole) {
        const report = scrub(whole);
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
    const error = await refusal(packed({}, [], { beforeSend }));
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
    expect(await refusal(packed({}, inputs, { onTooLarge: "error" }))).toBeInstanceOf(LimitError);
    expect(await refusal(packed({}, inputs, { onTooLarge: "drop-attachments" }).then(() => Promise.reject()))).toBe(
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
