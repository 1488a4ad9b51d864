import { afterEach, expect, test } from "bun:test";
import fc from "fast-check";
import { limits } from "../../openapi/schema/limits.ts";
import { Malformed } from "./malformed.ts";
import { MultipartParser } from "./multipart.ts";
import { type PartHeaders, readPartHeaders } from "./part-headers.ts";

const mark = "b7";

interface Found extends PartHeaders {
  content: string;
}

type Outcome = Found[] | "malformed";

/**
 * The parts that the parser finds in a body that arrives in these pieces. Errors other than {@link Malformed} are
 * thrown on.
 */
function outcomeOf(pieces: Iterable<Buffer>, boundary = mark): Outcome {
  const found: { headers: PartHeaders; chunks: Buffer[] }[] = [];
  const parser = new MultipartParser(boundary, {
    part: (headers) => found.push({ headers, chunks: [] }),
    data: (bytes) => found.at(-1)?.chunks.push(Buffer.from(bytes)),
  });
  try {
    for (const piece of pieces) parser.push(piece);
    parser.finish();
  } catch (error) {
    if (error instanceof Malformed && error.reason === "multipart_malformed") return "malformed";
    throw error;
  }
  return found.map(({ headers, chunks }) => ({ ...headers, content: Buffer.concat(chunks).toString("latin1") }));
}

function whole(body: string | Buffer, boundary = mark): Outcome {
  return outcomeOf([Buffer.from(body as string, "latin1")], boundary);
}

/** Cuts a body into pieces of these lengths, repeated in turn. */
function* cut(body: Buffer, lengths: readonly number[]): Generator<Buffer> {
  for (let at = 0, i = 0; at < body.length; i++) {
    const length = lengths[i % lengths.length] ?? 1;
    // Each piece is a copy: a parser that reads behind the end of a piece fails.
    yield Buffer.from(body.subarray(at, at + length));
    at += length;
  }
}

/** A reference parser, by regular expressions over the whole body: slow, and directly after RFC 2046. */
function expectedOf(body: Buffer, boundary = mark): Outcome {
  const text = `\r\n${body.toString("latin1")}`;
  const delimiter = new RegExp(`\\r\\n--${boundary}(?:[ \\t]{0,256}\\r\\n|(--)[ \\t]{0,256}(?:\\r\\n|$))`, "g");
  let line = delimiter.exec(text);
  const parts: Found[] = [];
  while (line && line[1] === undefined) {
    const begin = delimiter.lastIndex;
    const end = text.indexOf("\r\n\r\n", begin);
    if (end < 0 || end - begin > limits.partHeaderBytes) return "malformed";
    let headers: PartHeaders;
    try {
      headers = readPartHeaders(Buffer.from(text.slice(begin, end), "latin1"));
    } catch {
      return "malformed";
    }
    delimiter.lastIndex = end + 2;
    line = delimiter.exec(text);
    if (line) parts.push({ ...headers, content: text.slice(end + 4, line.index) });
  }
  return line ? parts : "malformed";
}

function part(name: string, content: string): string {
  return `--${mark}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`;
}

/** Names and contents only, for cases about nothing else. */
function contents(outcome: Outcome): [string, string][] | "malformed" {
  return outcome === "malformed" ? outcome : outcome.map(({ name, content }) => [name, content]);
}

const close = `--${mark}--\r\n`;

const legal: [string, string, [string, string][]][] = [
  ["one part", part("a", "1") + close, [["a", "1"]]],
  [
    "several parts, in order",
    part("b", "2") + part("a", "1") + close,
    [
      ["b", "2"],
      ["a", "1"],
    ],
  ],
  [
    "two parts of one name",
    part("a", "1") + part("a", "2") + close,
    [
      ["a", "1"],
      ["a", "2"],
    ],
  ],
  ["no part at all", close, []],
  ["text before the first boundary", `For those without MIME.\r\n${part("a", "1")}${close}`, [["a", "1"]]],
  ["a line end before the first boundary", `\r\n${part("a", "1")}${close}`, [["a", "1"]]],
  ["a boundary in the middle of a line before the first one", `x--${mark}\r\n${part("a", "1")}${close}`, [["a", "1"]]],
  ["text after the closing boundary", `${part("a", "1")}${close}--${mark}\r\nnot a part`, [["a", "1"]]],
  ["no line end after the closing boundary", part("a", "1") + close.trimEnd(), [["a", "1"]]],
  ["blanks after the closing boundary, and no line end", `${part("a", "1")}--${mark}-- \t`, [["a", "1"]]],
  ["blanks after a boundary", `${part("a", "1").replace(mark, `${mark} \t `)}--${mark}--\t\r\n`, [["a", "1"]]],
  ["256 blanks after a boundary", part("a", "1").replace(mark, mark + " ".repeat(256)) + close, [["a", "1"]]],
  ["an empty part", part("a", "") + close, [["a", ""]]],
  [
    "a part without the line end that ends its headers' blank line and begins the boundary",
    part("a", "").slice(0, -2) + part("b", "2") + close,
    [
      ["a", ""],
      ["b", "2"],
    ],
  ],
  ["a line end as content", part("a", "\r\n") + close, [["a", "\r\n"]]],
  ["line ends around content", part("a", "\r\n\r\nx\r\n\r\n") + close, [["a", "\r\n\r\nx\r\n\r\n"]]],
  ["content that looks like headers", part("a", "A: b\r\n\r\nc") + close, [["a", "A: b\r\n\r\nc"]]],
  ...[
    `\r\n--${mark}X`,
    `\r\n--${mark}-`,
    `\r\n--${mark}-\r\n`,
    `\r\n--${mark}--X\r\n`,
    `\r\n--${mark} X`,
    `\r\n--${mark}\r`,
    `\r\n--${mark}\rX`,
    `\r\n--${mark}\n`,
    `\r\n--${mark}\r\r\n`,
    `\r\n--${mark}${" ".repeat(257)}\r\n`,
    `\r\n--${mark}--${"\t".repeat(257)}\r\n`,
    `--${mark}X`,
    `x--${mark}--\r\n`,
    `\n--${mark}\r\n`,
    `\r--${mark}\r\n`,
    `\r\n-${mark}\r\n`,
    `\r\n--${mark.slice(0, -1)}`,
    `\r\n--${mark.toUpperCase()}\r\n`,
    "\r",
    "\n",
    "\r\r\r\r",
    "\n\n\n",
    "\r\n\r\n\r\n",
    "\r\r\n",
    "\r\n--",
    "\r\n-",
    "\0\xff\x1f\x8b",
  ].map((content): [string, string, [string, string][]] => [
    `content ${JSON.stringify(content).slice(0, 40)}`,
    part("a", content) + part("b", `x${content}y`) + close,
    [
      ["a", content],
      ["b", `x${content}y`],
    ],
  ]),
];

test.each(legal)("takes %s", (_, body, expected) => {
  const bytes = Buffer.from(body, "latin1");
  expect(contents(whole(bytes))).toEqual(expected);
  for (const lengths of [[1], [2], [3, 1], [7]]) expect(contents(outcomeOf(cut(bytes, lengths)))).toEqual(expected);
  // Cuts the body once, at every position.
  for (let at = 1; at < bytes.length; at++) {
    expect(contents(outcomeOf([bytes.subarray(0, at), bytes.subarray(at)]))).toEqual(expected);
  }
});

const disposition = 'Content-Disposition: form-data; name="a"';

function headed(headers: string): string {
  return `--${mark}\r\n${headers}\r\n\r\n1\r\n${close}`;
}

test.each([
  ["nothing", ""],
  ["no closing boundary", part("a", "1")],
  ["half of the closing boundary", `${part("a", "1")}--${mark}-`],
  ["only text", "hello"],
  ["the boundary of somebody else", part("a", "1").replaceAll(mark, "other")],
  ["bare line feeds", (part("a", "1") + close).replaceAll("\r\n", "\n")],
  ["bare line feeds between headers", headed(`${disposition}\nContent-Type: text/plain`)],
  ["a bare line feed after the only boundary", `--${mark}\n${disposition}\r\n\r\n1\r\n--${mark}--\n`],
  ["a closing boundary that goes on", `${part("a", "1")}--${mark}--and more`],
  ["no blank line after the headers", `--${mark}\r\n${disposition}\r\n${close}`],
  ["no headers", `--${mark}\r\n\r\n1\r\n${close}`],
  ["no headers, and a blank line in the content", `--${mark}\r\n\r\n1\r\n\r\n2\r\n${close}`],
  ["a header without a colon", headed(`${disposition}\r\nContent-Type`)],
  ["a header without a name", headed(`${disposition}\r\n: x`)],
  ["a header name of two words", headed(`${disposition}\r\nContent Type: x`)],
  ["no disposition", headed("Content-Type: text/plain")],
  ["an empty disposition", headed("Content-Disposition:")],
  ["a disposition that is no word", headed('Content-Disposition: "form-data"; name="a"')],
  ["a disposition without a name", headed('Content-Disposition: form-data; filename="a"')],
  ["two dispositions of different names", headed(`${disposition}\r\n${disposition.replace('"a"', '"b"')}`)],
  ["two names", headed(`${disposition}; name="b"`)],
  ["a quote that is not closed", headed('Content-Disposition: form-data; name="a')],
  ["base64", headed(`${disposition}\r\nContent-Transfer-Encoding: Base64`)],
  ["quoted-printable", headed(`${disposition}\r\nContent-Transfer-Encoding: quoted-printable`)],
  ["headers of 16 KiB and one byte", headed(padded(limits.partHeaderBytes + 1))],
  ["200 kB of headers", headed(padded(200_000))],
  ["200 kB of headers without an end", `--${mark}\r\n${padded(200_000)}`],
  ["a name of 256 characters", part("n".repeat(256), "1") + close],
  ["a second part that is cut", part("a", "1") + part("b", "2")],
])("refuses %s", (_, body) => {
  const bytes = Buffer.from(body, "latin1");
  expect(whole(bytes)).toBe("malformed");
  for (const lengths of [[1], [5], [4_096]]) expect(outcomeOf(cut(bytes, lengths))).toBe("malformed");
});

function padded(length: number): string {
  const rest = length - disposition.length - "\r\nX-Pad: ".length;
  return `${disposition}\r\nX-Pad: ${"x".repeat(rest)}`;
}

test("takes headers of exactly 16 KiB, wherever they are cut", () => {
  const body = Buffer.from(headed(padded(limits.partHeaderBytes)));
  expect(contents(whole(body))).toEqual([["a", "1"]]);
  const end = body.indexOf("\r\n\r\n");
  for (let at = end - 2; at <= end + 5; at++) {
    expect([at - end, contents(outcomeOf([body.subarray(0, at), body.subarray(at)]))]).toEqual([
      at - end,
      [["a", "1"]],
    ]);
  }
  expect(contents(outcomeOf(cut(body, [1])))).toEqual([["a", "1"]]);
});

test("a name has up to 255 code points, however many bytes they take", () => {
  const name = "😀".repeat(255);
  const body = (text: string) => Buffer.from(part(text, "1") + close);
  expect(contents(outcomeOf([body(name)]))).toEqual([[name, "1"]]);
  expect(outcomeOf([body(`${name}😀`)])).toBe("malformed");
});

test("a body that is cut at any byte is the whole or malformed", () => {
  const body = Buffer.from(`preamble\r\n${part("a", "1\r\n")}${part("b", "\r\n--b7-")}${close}`);
  const all = whole(body);
  expect(contents(all)).toEqual([
    ["a", "1\r\n"],
    ["b", "\r\n--b7-"],
  ]);
  for (let length = 0; length < body.length; length++) {
    const begun = body.subarray(0, length);
    // Only the line end after the closing delimiter may be missing.
    const expected = length === body.length - 2 ? all : "malformed";
    expect([length, whole(begun)]).toEqual([length, expected]);
    expect([length, outcomeOf(cut(begun, [1]))]).toEqual([length, expected]);
  }
});

test("empty chunks change nothing", () => {
  const body = Buffer.from(part("a", "1") + close);
  const pieces = [...cut(body, [1])].flatMap((piece) => [Buffer.alloc(0), piece, Buffer.alloc(0)]);
  expect(outcomeOf(pieces)).toEqual(whole(body));
});

test("a boundary may be as long as it gets, and full of signs", () => {
  for (const boundary of ["x", "-", "--", "'()+_,-./:=?", `${"-".repeat(64)}abcdef`]) {
    const body = Buffer.from((part("a", `\r\n--${boundary}!`) + close).replaceAll(`--${mark}`, `--${boundary}`));
    for (const lengths of [[body.length], [1], [3]]) {
      expect(contents(outcomeOf(cut(body, lengths), boundary))).toEqual([["a", `\r\n--${boundary}!`]]);
    }
  }
});

/** Random bytes, many of which look like the beginning of a delimiter. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "\r",
        "\n",
        "\r\n",
        "-",
        "--",
        " ",
        "\t",
        mark,
        "b",
        "\r\n--",
        `\r\n--${mark}`,
        `--${mark}--`,
        "\r\n\r\n",
      ),
      fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
    ),
    { maxLength: 24 },
  )
  .map((pieces) => pieces.join(""));

const delimits = new RegExp(`\\r\\n--${mark}(--)?[ \\t]{0,256}\\r\\n`);
const content = hostile.filter((text) => !delimits.test(`\r\n${text}\r\n`));
const name = fc.stringMatching(/^[a-z_0-9 ;=:,]{0,20}$/);
const filename = fc.option(fc.stringMatching(/^[a-z_0-9 ;=:,]{1,20}$/));
const parts = fc.array(fc.record({ name, filename, content }), { maxLength: 8 });
const cuts = fc.array(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 }), { maxLength: 3 });

test("any parts, cut anywhere, come out as they went in", () => {
  fc.assert(
    fc.property(parts, cuts, (given, cuttings) => {
      const pieces = given.map(({ name, filename, content }) => {
        const file = filename === null ? "" : `; filename="${filename}"\r\nContent-Type: image/png`;
        return `--${mark}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${content}\r\n`;
      });
      const body = Buffer.from(pieces.join("") + close, "latin1");
      const expected = given.map((one) => ({ ...one, contentType: one.filename === null ? null : "image/png" }));
      for (const lengths of [[body.length], [1], ...cuttings]) expect(outcomeOf(cut(body, lengths))).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

interface Mutation {
  kind: "flip" | "remove" | "insert" | "repeat";
  at: number;
  length: number;
  text: string;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom("flip", "remove", "insert", "repeat"),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.integer({ min: 1, max: 30 }),
  text: hostile,
});

function mutate(body: Buffer, { kind, at, length, text }: Mutation): Buffer {
  const begin = Math.floor(at * body.length);
  const [before, slice, after] = [
    body.subarray(0, begin),
    body.subarray(begin, begin + length),
    body.subarray(begin + length),
  ];
  if (kind === "remove") return Buffer.concat([before, after]);
  if (kind === "insert") return Buffer.concat([before, Buffer.from(text, "latin1"), slice, after]);
  if (kind === "repeat") return Buffer.concat([before, slice, slice, after]);
  const flipped = Buffer.from(slice);
  for (let i = 0; i < flipped.length; i++) flipped[i] = (flipped[i] ?? 0) ^ (1 << ((i + length) % 8));
  return Buffer.concat([before, flipped, after]);
}

test("a body that was tampered with is read like the standard says, or refused; its cutting makes no difference", () => {
  const bodies = fc.record({ given: parts, mutations: fc.array(mutation, { minLength: 1, maxLength: 4 }) });
  fc.assert(
    fc.property(bodies, cuts, ({ given, mutations }, cuttings) => {
      const pieces = given.map(({ name, content }) => part(name, content));
      const body = mutations.reduce(mutate, Buffer.from(pieces.join("") + close, "latin1") as Buffer);
      const expected = expectedOf(body);
      for (const lengths of [[Math.max(1, body.length)], [1], ...cuttings]) {
        expect(outcomeOf(cut(body, lengths))).toEqual(expected);
      }
    }),
    { numRuns: 600 },
  );
});

const { indexOf, lastIndexOf } = Buffer.prototype;
const { concat } = Buffer;
afterEach(() => {
  Object.assign(Buffer.prototype, { indexOf, lastIndexOf });
  Buffer.concat = concat;
});

/** The bytes that the parser examines or copies: a measure that does not depend on the speed of the machine. */
function workOf(pieces: Iterable<Buffer>, closed = true): number {
  let work = 0;
  Buffer.prototype.indexOf = function (this: Buffer, value: Buffer, from: number) {
    const found = indexOf.call(this, value, from);
    work += (found < 0 ? this.length : found + value.length) - from;
    return found;
  } as typeof indexOf;
  Buffer.prototype.lastIndexOf = function (this: Buffer, value: number) {
    const found = lastIndexOf.call(this, value);
    work += this.length - Math.max(0, found);
    return found;
  } as typeof lastIndexOf;
  Buffer.concat = ((list: Buffer[]) => {
    const joined = concat(list);
    work += joined.length;
    return joined;
  }) as typeof concat;
  let given = 0;
  const parser = new MultipartParser(mark, {
    part: () => {},
    data: (bytes) => {
      given += bytes.length;
    },
  });
  for (const piece of pieces) parser.push(piece);
  if (closed) parser.finish();
  expect(given).toBeGreaterThanOrEqual(0);
  return work;
}

const mebibyte = 1_048_576;

test.each([
  ["carriage returns", "\r"],
  ["line ends", "\r\n"],
  ["beginnings of a boundary", "\r\n--"],
  ["boundaries that go on", `\r\n--${mark}-`],
  ["boundaries without a line end", `\r\n--${mark}X`],
  ["boundaries with blanks that lead nowhere", `\r\n--${mark}${" ".repeat(256)}X`],
  ["zeros", "\0"],
])("25 MiB of %s are looked at a fixed number of times", (_, text) => {
  const body = Buffer.concat([
    Buffer.from(part("a", "").slice(0, -2)),
    Buffer.alloc(25 * mebibyte, text),
    Buffer.from(`X\r\n${close}`),
  ]);
  for (const length of [body.length, 65_536, 16_383]) {
    expect(workOf(cut(body, [length]))).toBeLessThan(4 * body.length);
  }
  const before = Buffer.concat([body.subarray(body.indexOf("\r\n\r\n") + 4), Buffer.from(close)]);
  expect(workOf(cut(before, [65_536]))).toBeLessThan(4 * before.length);
});

test("a body that comes byte by byte costs no more than a boundary's length for each", () => {
  const body = Buffer.concat([
    Buffer.from(part("a", "").slice(0, -2)),
    Buffer.alloc(mebibyte / 4, `\r\n--${mark}${" ".repeat(200)}X`),
    Buffer.from(`X\r\n${close}`),
  ]);
  expect(workOf(cut(body, [1]))).toBeLessThan(body.length * 4 * (256 + 10));
});

test("headers of 16 KiB that come byte by byte are searched once", () => {
  const block = Buffer.from(`--${mark}\r\n${padded(limits.partHeaderBytes - 4)}`);
  const half = workOf(cut(block.subarray(0, block.length / 2), [1]), false);
  // Bytes that the parser holds back are copied for each piece; there are at most 16 KiB of them.
  expect(half).toBeLessThan((block.length / 2) ** 2);
  expect(workOf(cut(block, [1]), false)).toBeLessThan(block.length ** 2);
});
