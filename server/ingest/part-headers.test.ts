import { expect, test } from "bun:test";
import fc from "fast-check";
import { Malformed } from "./malformed.ts";
import { boundaryOf, type PartHeaders, readPartHeaders } from "./part-headers.ts";

function read(...lines: string[]): PartHeaders {
  return readPartHeaders(Buffer.from(lines.join("\r\n")));
}

/** The name of the part and of its file. */
function names(parameters: string): [string, string | null] {
  const { name, filename } = read(`Content-Disposition: form-data; ${parameters}`);
  return [name, filename];
}

function refused(...lines: string[]): boolean {
  try {
    read(...lines);
    return false;
  } catch (error) {
    if (error instanceof Malformed && error.reason === "multipart_malformed") return true;
    throw error;
  }
}

const clients: [string, string[], PartHeaders][] = [
  [
    "curl, a field",
    ['Content-Disposition: form-data; name="envelope"'],
    { name: "envelope", filename: null, contentType: null },
  ],
  [
    "curl, a file with quotes in its name",
    ['Content-Disposition: form-data; name="attachment_0"; filename="a\\"b.txt"', "Content-Type: text/plain"],
    { name: "attachment_0", filename: 'a"b.txt', contentType: "text/plain" },
  ],
  [
    "curl, a file with a backslash in its name",
    ['Content-Disposition: form-data; name="attachment_0"; filename="a\\\\b.txt"', "Content-Type: text/plain"],
    { name: "attachment_0", filename: "a\\b.txt", contentType: "text/plain" },
  ],
  [
    "a browser, with quotes and line ends in the name",
    ['Content-Disposition: form-data; name="a%22b"; filename="c%0D%0Ad %22e%22.png"', "Content-Type: image/png"],
    { name: 'a"b', filename: 'c\r\nd "e".png', contentType: "image/png" },
  ],
  [
    "a browser, with a path of Windows",
    ['Content-Disposition: form-data; name="a"; filename="C:\\logs\\new\\today.log"', "Content-Type: text/plain"],
    { name: "a", filename: "C:\\logs\\new\\today.log", contentType: "text/plain" },
  ],
  [
    "a browser, a Blob without a name",
    ['Content-Disposition: form-data; name="envelope"; filename="blob"', "Content-Type: application/json"],
    { name: "envelope", filename: "blob", contentType: "application/json" },
  ],
  [
    "a browser, a file that was not chosen",
    ['Content-Disposition: form-data; name="a"; filename=""', "Content-Type: application/octet-stream"],
    { name: "a", filename: null, contentType: "application/octet-stream" },
  ],
  [
    "a browser, in any language",
    ['Content-Disposition: form-data; name="größe"; filename="写真 📷.png"', "Content-Type: image/png"],
    { name: "größe", filename: "写真 📷.png", contentType: "image/png" },
  ],
  [
    "requests of Python 2",
    ["Content-Disposition: form-data; name*=utf-8''gr%C3%B6%C3%9Fe; filename*=utf-8''%E5%86%99%E7%9C%9F.png"],
    { name: "größe", filename: "写真.png", contentType: null },
  ],
  [
    "urllib3 of Python",
    ['Content-Disposition: form-data; name="a"; filename="x.png"; filename*=utf-8\'\'x%20%22y%22.png'],
    { name: "a", filename: 'x "y".png', contentType: null },
  ],
  [
    "httpx of Python",
    ['Content-Disposition: form-data; name="a"; filename="na%22me.txt"', "Content-Type: text/plain"],
    { name: "a", filename: 'na"me.txt', contentType: "text/plain" },
  ],
  [
    "aiohttp of Python",
    [
      "Content-Type: text/plain; charset=utf-8",
      'Content-Disposition: form-data; name="a"; filename="gr%C3%B6%C3%9Fe.log"; filename*=utf-8\'\'gr%C3%B6%C3%9Fe.log',
    ],
    { name: "a", filename: "größe.log", contentType: "text/plain; charset=utf-8" },
  ],
  [
    "Go, with backslashes before quotes and backslashes",
    [
      'Content-Disposition: form-data; name="a"; filename="back\\\\slash \\"quoted\\".bin"',
      "Content-Type: application/octet-stream",
    ],
    { name: "a", filename: 'back\\slash "quoted".bin', contentType: "application/octet-stream" },
  ],
  [
    "OkHttp of Java",
    [
      'Content-Disposition: form-data; name="envelope"; filename="envelope.json"',
      "Content-Type: application/json; charset=utf-8",
      "Content-Length: 123",
    ],
    { name: "envelope", filename: "envelope.json", contentType: "application/json; charset=utf-8" },
  ],
  [
    "Apache HttpClient of Java",
    [
      'Content-Disposition: form-data; name="a"; filename="a.bin"',
      "Content-Type: application/octet-stream",
      "Content-Transfer-Encoding: binary",
    ],
    { name: "a", filename: "a.bin", contentType: "application/octet-stream" },
  ],
  [
    "Apache HttpClient of Java, text",
    [
      'Content-Disposition: form-data; name="a"',
      "Content-Type: text/plain; charset=ISO-8859-1",
      "Content-Transfer-Encoding: 8bit",
    ],
    { name: "a", filename: null, contentType: "text/plain; charset=ISO-8859-1" },
  ],
  [
    ".NET, with words that are not quoted",
    [
      "Content-Type: image/png",
      "Content-Disposition: form-data; name=attachment_0; filename=shot.png; filename*=utf-8''shot.png",
    ],
    { name: "attachment_0", filename: "shot.png", contentType: "image/png" },
  ],
  [
    ".NET, with a name in another alphabet",
    [
      "Content-Disposition: form-data; name=a; filename=\"=?utf-8?B?w6QucG5n?=\"; filename*=utf-8''%C3%A4.png",
      "Content-Type: image/png",
    ],
    { name: "a", filename: "ä.png", contentType: "image/png" },
  ],
  [
    "React Native",
    [
      'content-disposition: form-data; name="attachment_0"; filename="shot.jpg"',
      "content-type: image/jpeg",
      "content-length: 123",
    ],
    { name: "attachment_0", filename: "shot.jpg", contentType: "image/jpeg" },
  ],
  [
    "a client that folds its lines",
    ["Content-Disposition: form-data;", '\tname="a";', '    filename="b c.txt"', "Content-Type:", " text/plain"],
    { name: "a", filename: "b c.txt", contentType: "text/plain" },
  ],
  [
    "a client that writes everything in capitals",
    ['CONTENT-DISPOSITION: FORM-DATA; NAME="a"; FILENAME="B"', "CONTENT-TYPE: IMAGE/PNG"],
    { name: "a", filename: "B", contentType: "IMAGE/PNG" },
  ],
  [
    "a client that saves blanks",
    ['Content-Disposition:form-data;name="a";filename=b', "Content-Type:image/png"],
    { name: "a", filename: "b", contentType: "image/png" },
  ],
  [
    "a client that wastes them",
    ['Content-Disposition :  form-data ; name = "a" ; filename = b c.txt ', "Content-Type:   image/png  "],
    { name: "a", filename: "b c.txt", contentType: "image/png" },
  ],
  [
    "a client that adds what it likes",
    ['Content-Disposition: form-data; name="a"; size=12; creation-date="now"', "Content-ID: <a@b>", "X-Empty:"],
    { name: "a", filename: null, contentType: null },
  ],
  [
    "a client that sends a header twice alike",
    ['Content-Disposition: form-data; name="a"', "Content-Type: text/plain", "content-type: text/plain"],
    { name: "a", filename: null, contentType: "text/plain" },
  ],
];

test.each(clients)("reads %s", (_, lines, expected) => {
  expect(read(...lines)).toEqual(expected);
});

test("a name may be empty, and may hold what else divides parameters", () => {
  expect(names('name=""')).toEqual(["", null]);
  expect(names('name="a; filename=b"')).toEqual(["a; filename=b", null]);
  expect(names('filename="a; name=\\"evil\\""; name="b"')).toEqual(["b", 'a; name="evil"']);
  expect(names('name="a=b, c"; filename="x;y"')).toEqual(["a=b, c", "x;y"]);
});

test("semicolons at the end, or too many of them, change nothing", () => {
  expect(names('name="a";')).toEqual(["a", null]);
  expect(names('name="a"; ; ')).toEqual(["a", null]);
  expect(names("name=a;")).toEqual(["a", null]);
});

test("a quote or a last backslash that a client left bare costs no report", () => {
  expect(names('name="a"; filename="b\\"')).toEqual(["a", "b\\"]);
  expect(names('name="a"; filename="say "hi".txt"')).toEqual(["a", 'say "hi".txt']);
  expect(names('name="a"; filename="')[0]).toBe("a");
});

test("an extended value counts before the plain one", () => {
  expect(names("name=a; filename=plain; filename*=UTF-8'en'ext%20ended")).toEqual(["a", "ext ended"]);
  expect(names("name=a; filename*=UTF-8''extended; filename=plain")).toEqual(["a", "extended"]);
  expect(names("name=plain; name*=utf-8''extended")).toEqual(["extended", null]);
});

test("an extended value may be in Latin-1", () => {
  expect(names("name=a; filename*=ISO-8859-1''gr%F6%DFe%FF.log")).toEqual(["a", "größeÿ.log"]);
  expect(names("name=a; filename*=iso-8859-1'de'%A3")).toEqual(["a", "£"]);
});

test("an extended value that cannot be read leaves the plain one", () => {
  const broken = [
    "utf-8''%E4",
    "utf-8''%C3",
    "utf-8''%zz",
    "utf-8''%",
    "utf-8'a",
    "utf-8",
    "",
    "''a",
    "shift-jis''a",
    "utf-16''a",
  ];
  for (const value of broken) {
    expect([value, ...names(`name=a; filename=plain; filename*=${value}`)]).toEqual([value, "a", "plain"]);
    expect([value, ...names(`name=a; filename*=${value}`)]).toEqual([value, "a", null]);
    expect(names(`name=a; name*=${value}`)).toEqual(["a", null]);
    expect(refused(`Content-Disposition: form-data; name*=${value}`)).toBe(true);
  }
});

test("headers that are no UTF-8 are read as Latin-1", () => {
  const block = Buffer.from('Content-Disposition: form-data; name="a"; filename="größe.log"', "latin1");
  expect(readPartHeaders(block)).toMatchObject({ name: "a", filename: "größe.log" });
});

test.each([
  ["nothing", [""]],
  ["no disposition", ["Content-Type: text/plain"]],
  ["no name", ["Content-Disposition: form-data"]],
  ["only a file name", ['Content-Disposition: form-data; filename="a"']],
  ["a name without a value", ["Content-Disposition: form-data; name"]],
  ["a name that is quoted without an end", ['Content-Disposition: form-data; name="a']],
  ["two names", ["Content-Disposition: form-data; name=a; name=b"]],
  ["two names in different case", ["Content-Disposition: form-data; name=a; NAME=b"]],
  ["two file names", ["Content-Disposition: form-data; name=a; filename=b; filename=c"]],
  ["two dispositions", ["Content-Disposition: form-data; name=a", "Content-Disposition: form-data; name=b"]],
  ["two media types", ["Content-Disposition: form-data; name=a", "Content-Type: a/b", "Content-Type: c/d"]],
  ["a line that is no header", ["Content-Disposition: form-data; name=a", "hello"]],
  ["an empty line", ["Content-Disposition: form-data; name=a", ""]],
  ["a header without a name", ["Content-Disposition: form-data; name=a", ": hello"]],
  ["a header name with blanks", ["Content-Disposition: form-data; name=a", "Content Type: a/b"]],
  ["a header name with a NUL", ["Content-Disposition: form-data; name=a", "X\0: a/b"]],
  ["a header name that is not ASCII", ["Content-Disposition: form-data; name=a", "Größe: 1"]],
  ["base64", ["Content-Disposition: form-data; name=a", "Content-Transfer-Encoding: base64"]],
  ["BASE64", ["Content-Disposition: form-data; name=a", "Content-Transfer-Encoding:  BASE64 "]],
  ["quoted-printable", ["Content-Disposition: form-data; name=a", "content-transfer-encoding: Quoted-Printable"]],
  ["a name of 256 characters", [`Content-Disposition: form-data; name="${"x".repeat(256)}"`]],
  ["an extended name of 256 characters", [`Content-Disposition: form-data; name*=utf-8''${"%C3%A4".repeat(256)}`]],
])("refuses %s", (_, lines) => {
  expect(refused(...lines)).toBe(true);
});

test("a name has 255 code points", () => {
  for (const letter of ["x", "ä", "😀"]) {
    expect(names(`name="${letter.repeat(255)}"`)).toEqual([letter.repeat(255), null]);
    expect(refused(`Content-Disposition: form-data; name="${letter.repeat(256)}"`)).toBe(true);
  }
});

/** How three kinds of clients write a text between quotes. */
const writers: Record<string, (text: string) => string> = {
  "a browser": (text) => text.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22"),
  "Go and curl": (text) => text.replaceAll("\\", "\\\\").replaceAll('"', '\\"'),
  "an address": (text) => encodeURIComponent(text),
};

// Leaves out texts that one kind of client escapes and another means literally.
const letters = [..."azAZ09 äß€写😀.,;:='()@#&+_-"];
const ordinary = fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 30 }).map((all) => all.join(""));

test.each(Object.keys(writers))("file names as written by %s come back", (writer) => {
  const write = writers[writer] as (text: string) => string;
  fc.assert(
    fc.property(ordinary, ordinary, (name, filename) => {
      expect(names(`name="${write(name)}"; filename="${write(filename)}"`)).toEqual([name, filename]);
    }),
  );
});

test("quotes in a file name come back from browsers, Go and curl", () => {
  for (const writer of ["a browser", "Go and curl"]) {
    const write = writers[writer] as (text: string) => string;
    for (const filename of ['"', '""', 'a"b', '"a" "b"', 'a"; name="b', '";']) {
      expect(names(`name="a"; filename="${write(filename)}"`)).toEqual(["a", filename]);
    }
  }
});

test("any text at all is read or refused", () => {
  const bytes = fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes).toString("latin1"));
  const piece = fc.oneof(
    bytes,
    fc.constantFrom(
      "; ",
      "name",
      "name*",
      "filename",
      "=",
      '"',
      "\\",
      "\r\n",
      "\r\n ",
      "utf-8''",
      "%41",
      "%",
      ": ",
      "a",
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const block = Buffer.from(`Content-Disposition: form-data; name="a"${pieces.join("")}`, "latin1");
      try {
        expect(typeof readPartHeaders(block).name).toBe("string");
      } catch (error) {
        expect(error).toBeInstanceOf(Malformed);
      }
    }),
    { numRuns: 2_000 },
  );
});

/** Processor milliseconds of this process, the shortest of several runs. */
function costOf(text: string): number {
  const block = Buffer.from(text);
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3; i++) {
    const { user } = process.cpuUsage();
    refused(block.toString());
    least = Math.min(least, process.cpuUsage().user - user);
  }
  return least / 1_000;
}

test.each([
  ["blanks", (n: number) => " ".repeat(n)],
  ["blanks in a parameter", (n: number) => `; x${" ".repeat(n)}`],
  ["blanks before a parameter", (n: number) => `;${" ".repeat(n)}"`],
  ["semicolons", (n: number) => ";".repeat(n)],
  ["semicolons and blanks", (n: number) => "; ".repeat(n / 2)],
  ["parameters without a value", (n: number) => "; x".repeat(n / 3)],
  ["backslashes in quotes without an end", (n: number) => `; x="${"\\".repeat(n)}`],
  ["quotes in quotes", (n: number) => `; x="${'\\"'.repeat(n / 2)}`],
  ["bare quotes", (n: number) => `; filename="${'"'.repeat(n)}`],
  ["half-written names", (n: number) => `; x"${"; name=".repeat(n / 7)}`],
  ["half-written file names", (n: number) => `; x"; name="a"${"; filename =".repeat(n / 11)}`],
  ["percent signs", (n: number) => `; filename="${"%".repeat(n)}"`],
  ["escapes that end wrong", (n: number) => `; filename="${"%41".repeat(n / 3)}%4"`],
  ["apostrophes in an extended value", (n: number) => `; filename*=utf-8${"'".repeat(n)}`],
  ["a token of an extended value", (n: number) => `; filename*=${"a".repeat(n)}`],
  ["folded lines", (n: number) => "\r\n ".repeat(n / 3)],
  ["line ends", (n: number) => "\r".repeat(n)],
])("%s cost no more than their length", (_, hostile) => {
  const ofSize = (n: number) => costOf(`Content-Disposition: form-data; name="a"${hostile(n)}`);
  ofSize(8_000);
  // Sixteen times as many parameters would take 256 times as long if each were compared with all others.
  const [small, large] = [ofSize(32_000), ofSize(512_000)];
  expect(large).toBeLessThan(Math.max(400, small * 80));
});

test.each([
  ["multipart/form-data; boundary=abc", "abc"],
  ['multipart/form-data; boundary="a b:c"', "a b:c"],
  ["Multipart/Form-Data;BOUNDARY=abc", "abc"],
  ["  multipart/form-data ;  boundary = abc ; charset=utf-8", "abc"],
  ['multipart/form-data; charset=utf-8; boundary="abc"', "abc"],
  ["multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW", "----WebKitFormBoundary7MA4YWxkTrZu0gW"],
  ["multipart/form-data; boundary='()+_,-./:=?", "'()+_,-./:=?"],
  [`multipart/form-data; boundary=${"x".repeat(70)}`, "x".repeat(70)],
])("%s has a boundary", (contentType, boundary) => {
  expect(boundaryOf(contentType)).toBe(boundary);
});

test.each([
  "multipart/form-data",
  "multipart/form-data;",
  "multipart/form-data; boundary",
  "multipart/form-data; boundary=",
  'multipart/form-data; boundary=""',
  'multipart/form-data; boundary="a "',
  'multipart/form-data; boundary="a\tb"',
  "multipart/form-data; boundary=größe",
  "multipart/form-data; xboundary=a",
  `multipart/form-data; boundary=${"x".repeat(71)}`,
])("%s has none that can be used", (contentType) => {
  expect(boundaryOf(contentType)).toBe("");
});

test.each([
  null,
  "",
  "multipart/mixed; boundary=a",
  "multipart/form-data-x; boundary=a",
  "application/json",
  "multipart/",
])("%s is another media type", (contentType) => {
  expect(boundaryOf(contentType)).toBeUndefined();
});
