import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { limits } from "../../../openapi/schema/limits.ts";
import { packed, refusal } from "../../../test/client/queue/packed.ts";
import { LimitError } from "../core/errors.ts";
import type { AttachmentInput } from "./attachment.ts";

/** Random bytes, which gzip cannot make smaller. */
function noise(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let from = 0; from < length; from += 65_536) crypto.getRandomValues(bytes.subarray(from, from + 65_536));
  return bytes;
}

describe("a stream", () => {
  /** A stream that never ends and counts the bytes that were read from it. */
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
  /** A message with which the envelope has this many bytes. */
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
    const error = await refusal(packed({ message: `${message}x` }));
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
    // The envelope contains the size of the second attachment, so the size keeps its number of digits.
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
