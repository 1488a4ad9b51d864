import { expect, test } from "bun:test";
import { crc32, gzipSync } from "node:zlib";
import { limits } from "../../openapi/schema/limits.ts";
import { decodeEnvelope, unpack } from "./decode-envelope.ts";
import { sha256 } from "./sha256.ts";

const text = JSON.stringify({ title: "Crash", message: "x".repeat(300) });
const plain = Buffer.from(text);
const packed = gzipSync(plain);
const most = limits.envelopeBytes;

function digestOf(bytes: Uint8Array): string {
  return sha256(bytes).toHex();
}

function kindOf(bytes: Uint8Array, limit?: number) {
  return decodeEnvelope(bytes, limit).kind;
}

/** A gzip member with one stored block, made without a library: header, flags and trailer as given. */
function member(
  content: Buffer,
  { flags = 0, extra = Buffer.alloc(0), crc = crc32(content), size = content.length } = {},
) {
  const header = Buffer.from([0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 255]);
  const block = Buffer.alloc(5);
  block[0] = 1;
  block.writeUInt16LE(content.length, 1);
  block.writeUInt16LE(content.length ^ 0xffff, 3);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc >>> 0, 0);
  trailer.writeUInt32LE(size >>> 0, 4);
  return Buffer.concat([header, extra, block, content, trailer]);
}

function objectOf(length: number): Buffer {
  const around = Buffer.byteLength('{"m":""}');
  return Buffer.from(`{"m":"${"x".repeat(length - around)}"}`);
}

test("a packed envelope is stored as it came, and known by what it holds", () => {
  expect(decodeEnvelope(packed)).toMatchObject({
    kind: "object",
    size: plain.length,
    digest: digestOf(plain),
    encoding: "gzip",
    index: { title: "Crash" },
  });
});

test("a plain envelope is stored as it came", () => {
  expect(decodeEnvelope(plain)).toMatchObject({
    kind: "object",
    size: plain.length,
    digest: digestOf(plain),
    encoding: "identity",
  });
});

test("packing that makes it larger, or no smaller, is to be taken off", () => {
  for (const content of ["{}", '{"a":1}']) {
    const found = decodeEnvelope(gzipSync(content));
    expect(found).toMatchObject({ kind: "object", size: content.length, encoding: "identity" });
  }
});

test("several members are one stream, wherever it is divided", () => {
  for (let at = 0; at <= plain.length; at++) {
    const halves = Buffer.concat([gzipSync(plain.subarray(0, at)), gzipSync(plain.subarray(at))]);
    expect(decodeEnvelope(halves)).toMatchObject({ kind: "object", digest: digestOf(plain) });
  }
  const each = Buffer.concat([...plain].map((byte) => gzipSync(Buffer.from([byte]))));
  expect(decodeEnvelope(each)).toMatchObject({ kind: "object", digest: digestOf(plain), encoding: "identity" });
});

test("members without content change nothing", () => {
  const nothing = gzipSync("");
  expect(decodeEnvelope(Buffer.concat([nothing, packed, nothing]))).toMatchObject({ digest: digestOf(plain) });
});

test("every kind of header is read: name, comment, extra field", () => {
  const cases = [
    member(plain),
    member(plain, { flags: 1 }),
    member(plain, { flags: 4, extra: Buffer.from([2, 0, 1, 2]) }),
    member(plain, { flags: 8, extra: Buffer.from("name.json\0") }),
    member(plain, { flags: 16, extra: Buffer.from("comment\0") }),
  ];
  for (const bytes of cases) expect(decodeEnvelope(bytes)).toMatchObject({ kind: "object", digest: digestOf(plain) });
});

test("NULs may follow", () => {
  for (const count of [1, 2, 7, 8, 511, 4_096]) {
    const followed = Buffer.concat([packed, Buffer.alloc(count)]);
    expect(decodeEnvelope(followed)).toMatchObject({ kind: "object", digest: digestOf(plain), size: plain.length });
  }
});

test("anything else that follows is corrupt, after NULs too", () => {
  const garbage = ["x", "\x1f", "\x1f\x8b", "\x1f\x8b\x08", "garbage", "\xff\xff\xff\xff", "\n", " ", text, "{}"];
  for (const nulls of [0, 1, 8, 600]) {
    for (const tail of garbage) {
      const bytes = Buffer.concat([packed, Buffer.alloc(nulls), Buffer.from(tail, "latin1")]);
      expect([nulls, tail, kindOf(bytes)]).toEqual([nulls, tail, "gzip_corrupt"]);
    }
  }
});

test("a member after NULs is not part of the stream, so it is corrupt", () => {
  expect(kindOf(Buffer.concat([packed, Buffer.alloc(4), packed]))).toBe("gzip_corrupt");
});

test("a second member that is damaged or cut is corrupt", () => {
  expect(kindOf(Buffer.concat([packed, packed.subarray(0, -1)]))).toBe("gzip_corrupt");
  expect(kindOf(Buffer.concat([packed, member(Buffer.from(" "), { crc: 1 })]))).toBe("gzip_corrupt");
});

test("a wrong CRC or length is corrupt", () => {
  expect(kindOf(member(plain, { crc: crc32(plain) ^ 1 }))).toBe("gzip_corrupt");
  expect(kindOf(member(plain, { size: plain.length + 1 }))).toBe("gzip_corrupt");
  expect(kindOf(member(plain, { size: 0 }))).toBe("gzip_corrupt");
});

test("a stream that is cut anywhere is corrupt", () => {
  for (let length = 2; length < packed.length; length++) {
    expect([length, kindOf(packed.subarray(0, length))]).toEqual([length, "gzip_corrupt"]);
  }
  // The first byte alone does not show that the bytes are gzip.
  expect(kindOf(packed.subarray(0, 1))).toBe("not_json");
});

test("a bit that is wrong anywhere never gives other content", () => {
  for (let at = 2; at < packed.length; at++) {
    for (let bit = 0; bit < 8; bit++) {
      const damaged = Buffer.from(packed);
      damaged[at] = (damaged[at] ?? 0) ^ (1 << bit);
      const found = decodeEnvelope(damaged);
      // The time, the operating system and flags without effect can be changed without losing anything.
      if (found.kind === "object") expect(found.digest).toBe(digestOf(plain));
      else expect(found.kind).toBe("gzip_corrupt");
    }
  }
});

test("5 MiB are taken, one byte more is too large, packed or not", () => {
  const whole = objectOf(most);
  const more = objectOf(most + 1);
  expect(whole.length).toBe(most);
  expect(decodeEnvelope(whole)).toMatchObject({ kind: "object", size: most });
  expect(decodeEnvelope(gzipSync(whole))).toMatchObject({ kind: "object", size: most, encoding: "gzip" });
  expect(decodeEnvelope(Buffer.concat([gzipSync(whole), gzipSync("")]))).toMatchObject({ kind: "object", size: most });
  expect(kindOf(more)).toBe("too_large");
  expect(kindOf(gzipSync(more))).toBe("too_large");
  expect(kindOf(Buffer.concat([gzipSync(whole), gzipSync(" ")]))).toBe("too_large");
});

test("the limit is the caller's", () => {
  expect(decodeEnvelope(plain, plain.length).kind).toBe("object");
  expect(decodeEnvelope(packed, plain.length).kind).toBe("object");
  expect(kindOf(plain, plain.length - 1)).toBe("too_large");
  expect(kindOf(packed, plain.length - 1)).toBe("too_large");
});

test("what is too large is not looked into: no JSON, no UTF-8, no object", () => {
  expect(kindOf(Buffer.alloc(most + 1, 0xff))).toBe("too_large");
  expect(kindOf(gzipSync(Buffer.alloc(most + 1, 0xff)))).toBe("too_large");
});

test("a bomb costs no more memory than the limit", () => {
  const bomb = gzipSync(Buffer.alloc(256 * 1_048_576));
  expect(bomb.length).toBeLessThan(400_000);
  Bun.gc(true);
  const before = process.memoryUsage().rss;
  for (let i = 0; i < 10; i++) expect(kindOf(bomb)).toBe("too_large");
  expect(process.memoryUsage().rss - before).toBeLessThan(128 * 1_048_576);
  const many = Buffer.concat(Array.from({ length: 200 }, () => gzipSync(Buffer.alloc(100_000))));
  expect(kindOf(many)).toBe("too_large");
});

test("what was found out passes between threads as JSON", () => {
  const part = "\ud800";
  const odd = Buffer.from(`{"tags":{"__proto__":"a"},"attachments":[{"part":${JSON.stringify(part)}}],"version":1.5}`);
  for (const bytes of [plain, packed, odd, Buffer.from("[]")]) {
    const found = decodeEnvelope(bytes);
    const passed = JSON.parse(JSON.stringify(found));
    expect(JSON.stringify(passed)).toBe(JSON.stringify(found));
    expect(passed).toEqual(found);
  }
});

test("only one layer is unwrapped", () => {
  expect(kindOf(gzipSync(packed))).toBe("not_json");
  expect(unpack(gzipSync(packed), most)).toEqual(packed);
});

test("gzip of nothing is no JSON", () => {
  expect(kindOf(gzipSync(""))).toBe("not_json");
  expect(kindOf(Buffer.alloc(0))).toBe("not_json");
});

test.each([
  ["spaces around", " \r\n\t{} \n", "object"],
  ["a byte order mark", "\ufeff{}", "object"],
  ["two byte order marks", "\ufeff\ufeff{}", "not_json"],
  ["a list", "[]", "array"],
  ["a list of objects", "[{}]", "array"],
  ["text", '"{}"', "scalar"],
  ["a number", "1", "scalar"],
  ["true", "true", "scalar"],
  ["null", "null", "scalar"],
  ["nothing but blanks", "  \n", "not_json"],
  ["two objects", "{}{}", "not_json"],
  ["an object that is cut", '{"a":1', "not_json"],
  ["a comma too many", '{"a":1,}', "not_json"],
  ["single quotes", "{'a':1}", "not_json"],
  ["a comment", "{}//", "not_json"],
  ["NaN", '{"a":NaN}', "not_json"],
  ["a raw control character in text", '{"a":"\n"}', "not_json"],
  ["a NUL after the object", "{}\0", "not_json"],
  ["a form", "a=1", "not_json"],
])("%s", (_, content, kind) => {
  expect(kindOf(Buffer.from(content))).toBe(kind as ReturnType<typeof kindOf>);
  expect(kindOf(gzipSync(content))).toBe(kind as ReturnType<typeof kindOf>);
});

test("bytes that are no UTF-8 are no JSON", () => {
  for (const bytes of [[0xff], [0xc0, 0xaf], [0xe4], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0x80]]) {
    const bad = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')]);
    expect(kindOf(bad)).toBe("not_json");
    expect(kindOf(gzipSync(bad))).toBe("not_json");
  }
  expect(kindOf(Buffer.from("\ufeff{}", "utf16le"))).toBe("not_json");
});

test("a byte order mark is kept in what is stored, and counted", () => {
  const marked = Buffer.from("\ufeff{}");
  expect(decodeEnvelope(marked)).toMatchObject({ size: 5, digest: digestOf(marked) });
});

test("nesting has no limit of its own", () => {
  for (const depth of [100, 10_000, 1_000_000]) {
    const deep = `{"title":"deep","contexts":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    expect(decodeEnvelope(Buffer.from(deep))).toMatchObject({ kind: "object", index: { title: "deep" } });
    const members = `{"title":"deep","contexts":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}}`;
    if (members.length > most) continue;
    expect(decodeEnvelope(Buffer.from(members))).toMatchObject({ kind: "object", index: { title: "deep" } });
  }
  expect(kindOf(Buffer.alloc(most, "["))).toBe("not_json");
  expect(kindOf(gzipSync(Buffer.alloc(most, '{"a":')))).toBe("not_json");
});

test("__proto__ is a member like any other and gives nothing to anybody", () => {
  const found = decodeEnvelope(
    Buffer.from('{"__proto__":{"title":"evil","tags":{"a":"b"}},"constructor":{"prototype":{"x":1}}}'),
  );
  expect(found).toMatchObject({ kind: "object", index: { title: null, tags: null, warnings: [] } });
  expect(({} as { title?: string; x?: number }).title).toBeUndefined();
  expect(({} as { title?: string; x?: number }).x).toBeUndefined();
});

test("the last of two members of one name counts", () => {
  expect(decodeEnvelope(Buffer.from('{"title":"a","title":"b"}'))).toMatchObject({ index: { title: "b" } });
});
