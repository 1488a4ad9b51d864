import { afterEach, beforeEach, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { canonicalDigest } from "./canonical.ts";
import type { DecodedEnvelope } from "./decode-envelope.ts";
import { EnvelopeReader } from "./envelope-reader.ts";

let reader: EnvelopeReader;
beforeEach(() => {
  reader = new EnvelopeReader();
});
afterEach(() => reader.close());

/** An envelope of this many bytes, plain or compressed. */
function envelope(title: string, size: number, packed: boolean): Uint8Array {
  const text = JSON.stringify({ title, filler: "x".repeat(size) });
  return packed ? gzipSync(text) : Buffer.from(text);
}

const titleOf = (decoded: DecodedEnvelope) => (decoded.kind === "object" ? decoded.index.title : decoded.kind);

test("however many are read at once, on the spot or by threads, each is answered with its own", async () => {
  const sizes = [10, 5_000, 20_000, 40_000, 90_000, 300_000];
  const wanted = Array.from({ length: 300 }, (_, i) => `report ${i}`);
  const found = await Promise.all(
    wanted.map(async (title, i) => {
      if (i % 50 === 7) return titleOf(await reader.decodeEnvelope(Buffer.from(`{"${title}`), "key"));
      const bytes = envelope(title, sizes[i % sizes.length] ?? 0, i % 2 === 0);
      const content = i % 5 === 0 ? { bytes: () => Promise.resolve(bytes) } : bytes;
      return titleOf(await reader.decodeEnvelope(content, `key ${i % 3}`));
    }),
  );
  expect(found).toEqual(wanted.map((title, i) => (i % 50 === 7 ? "not_json" : title)));
});

test("one that cannot be loaded is that one's failure alone", async () => {
  const bad = { bytes: () => Promise.reject(new Error("gone")) };
  const good = { bytes: () => Promise.resolve(envelope("good", 10, false)) };
  const found = await Promise.allSettled(
    [bad, good, bad, good].map((content) => reader.decodeEnvelope(content, "key")),
  );
  expect(found.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "rejected", "fulfilled"]);
});

test("owners take turns: one waits for one large envelope of another's, not for all", async () => {
  const order: string[] = [];
  const large = (owner: string) => ({
    bytes: async () => {
      order.push(owner);
      return envelope(owner, 10, false);
    },
  });
  const many = Array.from({ length: 10 }, () => reader.decodeEnvelope(large("busy"), "busy"));
  const other = reader.decodeEnvelope(large("other"), "other");
  await Promise.all([...many, other]);
  expect(order.indexOf("other")).toBeLessThanOrEqual(2);
});

test("a canonical digest is the same on the spot and by a thread", async () => {
  for (const size of [10, 200_000]) {
    const stored = envelope("same", size, true);
    expect(await reader.canonical(stored, "key")).toEqual(canonicalDigest(stored));
  }
});
