import { afterAll, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { limits } from "../../openapi/schema/limits.ts";
import { EnvelopeReader } from "../envelope/envelope-reader.ts";
import { sha256 } from "../envelope/sha256.ts";
import { findEnvelope } from "./find-envelope.ts";
import { Malformed, TooLarge } from "./malformed.ts";
import type { Part } from "./spool.ts";

const reader = new EnvelopeReader();
afterAll(() => reader.close());

function part(name: string, body: string | Uint8Array): Part {
  const content = Buffer.from(body as string);
  const head = content.subarray(0, 4_100);
  return {
    name,
    filename: null,
    contentType: null,
    size: content.length,
    head,
    content,
    digest: () => sha256(content),
  };
}

/** The title of the envelope that was found and the names of the other parts, or the reason why none was found. */
async function found(...parts: Part[]): Promise<unknown> {
  try {
    const { envelope, attachments } = await findEnvelope(parts, reader, "key");
    return [envelope.index.title, ...attachments.map(({ name }) => name)];
  } catch (error) {
    if (error instanceof Malformed || error instanceof TooLarge) return error.reason;
    throw error;
  }
}

const json = '{"title":"it"}';
const other = '{"title":"another"}';
const image = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

test("the part named envelope is it, wherever it stands and whatever else holds JSON", async () => {
  expect(await found(part("envelope", json))).toEqual(["it"]);
  expect(await found(part("a", other), part("envelope", json), part("b", image))).toEqual(["it", "a", "b"]);
});

test("the part named envelope is it also when it is wrong", async () => {
  expect(await found(part("envelope", "oops"), part("a", json))).toBe("envelope_not_json");
  expect(await found(part("envelope", "[]"), part("a", json))).toBe("envelope_not_object");
  expect(await found(part("envelope", "1"), part("a", json))).toBe("envelope_not_object");
  expect(await found(part("envelope", gzipSync(json).subarray(0, -1)), part("a", json))).toBe("envelope_gzip_corrupt");
  expect(await found(part("envelope", Buffer.alloc(limits.envelopeBytes + 1, " ")), part("a", json))).toBe(
    "too_large_envelope",
  );
});

test("names are told apart by case", async () => {
  expect(await found(part("Envelope", other), part("envelope", json))).toEqual(["it", "Envelope"]);
});

test("without that name, the only part that holds JSON is it", async () => {
  expect(await found(part("payload", json))).toEqual(["it"]);
  expect(await found(part("a", image), part("", json), part("b", "text"))).toEqual(["it", "a", "b"]);
  expect(await found(part("a", "1"), part("b", '"text"'), part("c", json), part("d", "null"))).toEqual([
    "it",
    "a",
    "b",
    "d",
  ]);
  expect(await found(part("a", ""), part("b", `\r\n\t ${json}`))).toEqual(["it", "a"]);
  expect(await found(part("a", `\ufeff${json}`))).toEqual(["it"]);
  expect(await found(part("a", "{ no JSON"), part("b", json))).toEqual(["it", "a"]);
  expect(await found(part("a", " ".repeat(5_000) + json))).toEqual(["it"]);
});

test("without that name, packed JSON is found too", async () => {
  expect(await found(part("payload", gzipSync(json)))).toEqual(["it"]);
  expect(await found(part("a", image), part("payload", gzipSync(json)), part("b", gzipSync("log")))).toEqual([
    "it",
    "a",
    "b",
  ]);
});

test("JSON twice is one time too often, packed or not, object or list", async () => {
  const twice = [
    [json, other],
    [json, "[]"],
    [json, gzipSync(other)],
    [gzipSync(json), gzipSync("[1]")],
  ] as const;
  for (const [a, b] of twice) expect(await found(part("a", a), part("b", b))).toBe("envelope_missing");
});

test("a list alone is it, and is refused for what it is", async () => {
  expect(await found(part("a", "[]"), part("b", image))).toBe("envelope_not_object");
});

test("nothing that holds JSON, or nothing at all, is no envelope", async () => {
  expect(await found()).toBe("envelope_missing");
  expect(await found(part("a", image), part("b", "text"), part("c", "12"))).toBe("envelope_missing");
  expect(await found(part("a", gzipSync(json).subarray(0, -1)))).toBe("envelope_missing");
});

test("what would be the envelope, but is larger than one may be, is too large", async () => {
  const large = `{"a":"${"x".repeat(limits.envelopeBytes)}"}`;
  expect(await found(part("a", large), part("b", image))).toBe("too_large_envelope");
  expect(await found(part("a", large), part("b", json))).toEqual(["it", "a"]);
});

test("large envelopes are read on a thread, like small ones here", async () => {
  const large = JSON.stringify({ title: "it", message: "x".repeat(4 * limits.uploadBytes) });
  expect(await found(part("envelope", large))).toEqual(["it"]);
  expect(await found(part("envelope", gzipSync(large)))).toEqual(["it"]);
  const answers = await Promise.all(Array.from({ length: 5 }, () => found(part("envelope", gzipSync(large)))));
  expect(answers).toEqual(Array.from({ length: 5 }, () => ["it"]));
});

test("what is stored are the bytes as they came, or unpacked where packing has made them larger", async () => {
  const long = JSON.stringify({ title: "it", message: "x".repeat(1_000) });
  for (const [given, stored] of [
    [json, json],
    [`\ufeff ${json}\r\n`, `\ufeff ${json}\r\n`],
    [long, long],
    [gzipSync(long), gzipSync(long)],
    [gzipSync(json), json],
  ] as const) {
    const { envelope } = await findEnvelope([part("envelope", given)], reader, "key");
    expect(Buffer.from(envelope.bytes)).toEqual(Buffer.from(stored as string));
  }
});

test("an envelope that is in a file is loaded from there", async () => {
  const loaded = (given: Uint8Array): Part => {
    const content = { bytes: () => Promise.resolve(given), write: async () => {}, discard: async () => {} };
    return { ...part("envelope", given), content };
  };
  const large = JSON.stringify({ title: "it", message: "x".repeat(4 * limits.uploadBytes) });
  for (const bytes of [Buffer.from(json), Buffer.from(large), gzipSync(large)]) {
    expect(await found(loaded(bytes))).toEqual(["it"]);
    const { envelope } = await findEnvelope([loaded(bytes)], reader, "key");
    expect(Buffer.from(envelope.bytes).equals(bytes)).toBe(true);
  }
});

test("many at once get each their own", async () => {
  const titles = Array.from({ length: 300 }, (_, i) => `title ${i}`);
  const bodies = titles.map((title, i) => {
    const text = JSON.stringify({ title, tags: { n: title }, message: "x".repeat(i * 50) });
    if (i % 50 === 7) return `${text}!`;
    return i % 3 === 0 ? gzipSync(text) : i % 71 === 1 ? text + " ".repeat(4 * limits.uploadBytes) : text;
  });
  const answers = await Promise.all(bodies.map((body) => found(part("envelope", body))));
  expect(answers).toEqual(titles.map((title, i) => (i % 50 === 7 ? "envelope_not_json" : [title])));
});
