import { afterEach, expect, test } from "bun:test";
import fc from "fast-check";
import { limits } from "../../openapi/schema/limits.ts";
import { sha256 } from "../envelope/sha256.ts";
import type { Draft, Files } from "../store/files.ts";
import { type Part, Spool } from "./spool.ts";

const headers = { name: "a", filename: null, contentType: null };

class MemoryDraft implements Draft {
  readonly chunks: Buffer[] = [];
  discarded = false;
  async write(bytes: Uint8Array): Promise<void> {
    this.chunks.push(Buffer.from(bytes));
  }
  async bytes(): Promise<Uint8Array> {
    return Buffer.concat(this.chunks);
  }
  async discard(): Promise<void> {
    this.discarded = true;
  }
}

function spooled({ held = false } = {}) {
  const drafts: MemoryDraft[] = [];
  const draft = async () => {
    drafts.push(new MemoryDraft());
    return drafts.at(-1) as MemoryDraft;
  };
  return { spool: new Spool(headers, { draft } as unknown as Files, held), drafts };
}

/** Writes pieces as a body is read: each piece is lent, and overwritten after it was taken. */
async function fill(spool: Spool, bytes: Buffer, lengths: readonly number[], { endedBefore = false } = {}) {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const length = lengths[i % lengths.length] ?? 1;
    const lent = Buffer.from(bytes.subarray(at, at + length));
    at += length;
    spool.write(lent);
    if (endedBefore && at >= bytes.length) spool.partEnd();
    if (spool.spills) await spool.settle();
    else spool.detach();
    lent.fill(0xee);
  }
  if (!endedBefore) spool.partEnd();
}

async function contentOf({ content }: Part): Promise<Buffer> {
  return Buffer.from(content instanceof Uint8Array ? content : await content.bytes());
}

test("whatever the pieces, a part has its bytes, size, digest and first bytes", async () => {
  const size = fc.oneof(fc.nat(10), fc.nat(5_000), fc.integer({ min: 60_000, max: 140_000 }));
  const lengths = fc.array(fc.oneof(fc.integer({ min: 500, max: 5_000 }), fc.integer({ min: 5_000, max: 200_000 })), {
    minLength: 1,
    maxLength: 5,
  });
  await fc.assert(
    fc.asyncProperty(size, lengths, fc.boolean(), async (size, lengths, endedBefore) => {
      const bytes = Buffer.from(Array.from({ length: size }, (_, i) => (i * 31 + (i >> 8)) & 255));
      const { spool, drafts } = spooled();
      await fill(spool, bytes, lengths, { endedBefore });
      const part = spool.end();
      expect((await contentOf(part)).equals(bytes)).toBe(true);
      expect(part.size).toBe(size);
      expect(Buffer.from(part.head).equals(bytes.subarray(0, 4_100))).toBe(true);
      expect(Buffer.from(await part.digest()).toString("hex")).toBe(sha256(bytes).toHex());
      expect(drafts).toHaveLength(size > limits.uploadBytes ? 1 : 0);
    }),
    { numRuns: 100 },
  );
});

test("64 KiB stay in memory, one byte more goes into a file", async () => {
  for (const [size, files] of [
    [limits.uploadBytes, 0],
    [limits.uploadBytes + 1, 1],
  ] as const) {
    const { spool, drafts } = spooled();
    await fill(spool, Buffer.alloc(size), [16_384]);
    expect(spool.end().content instanceof Uint8Array).toBe(files === 0);
    expect(drafts).toHaveLength(files);
  }
});

test("a part of a body that is held stays in memory whatever its size, without a copy when it came in one piece", async () => {
  const bytes = Buffer.alloc(200_000, "held");
  for (const pieces of [[bytes], [bytes.subarray(0, 70_000), bytes.subarray(70_000)]]) {
    const { spool, drafts } = spooled({ held: true });
    for (const piece of pieces) {
      spool.write(piece);
      expect(spool.spills).toBe(false);
    }
    spool.partEnd();
    const { content, digest } = spool.end();
    expect(Buffer.from(content as Uint8Array).equals(bytes)).toBe(true);
    expect(content === bytes).toBe(pieces.length === 1);
    expect(Buffer.from(await digest()).toString("hex")).toBe(sha256(bytes).toHex());
    expect(drafts).toHaveLength(0);
  }
});

test("what went into a file is thrown away with the part", async () => {
  const { spool, drafts } = spooled();
  await spool.discard();
  await fill(spool, Buffer.alloc(100_000), [100_000]);
  await spool.discard();
  expect(drafts.map(({ discarded }) => discarded)).toEqual([true]);
});

test("a part without content is empty", async () => {
  const { spool } = spooled();
  expect(spool.end()).toMatchObject({ size: 0, head: new Uint8Array() });
});

const { concat } = Buffer;
afterEach(() => {
  Buffer.concat = concat;
});

test("what is held in memory is not copied again for every piece", async () => {
  let copied = 0;
  Buffer.concat = ((list: Buffer[]) => {
    const joined = concat(list);
    copied += joined.length;
    return joined;
  }) as typeof concat;
  const { spool } = spooled();
  await fill(spool, Buffer.alloc(limits.uploadBytes), [64]);
  spool.end();
  // The first bytes are collected from several pieces.
  expect(copied).toBeLessThan(10 * limits.uploadBytes);

  copied = 0;
  // Another part continues after this one has ended.
  for (let i = 0; i < 1_000; i++) spool.detach();
  expect(copied).toBeLessThan(2 * limits.uploadBytes);
});
