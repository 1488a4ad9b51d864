import { expect, test } from "bun:test";
import fc from "fast-check";
import { warningCodes } from "../../openapi/schema/ingest.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { type EnvelopeIndex, indexEnvelope, indexText, isMoment } from "./index-envelope.ts";

/** Parsed from text, as envelopes are: `__proto__` is then an ordinary member. */
function indexOf(envelope: unknown): EnvelopeIndex {
  return indexEnvelope(JSON.parse(typeof envelope === "string" ? envelope : JSON.stringify(envelope)));
}

/** Paths and codes of the warnings. */
function warned(envelope: unknown): [string, string][] {
  return indexOf(envelope).warnings.map(({ path, code }) => [path, code]);
}

const nothing: EnvelopeIndex = {
  version: null,
  reportId: null,
  type: null,
  title: null,
  level: null,
  occurredAt: null,
  sentAt: null,
  release: null,
  environment: null,
  userId: null,
  userEmail: null,
  tags: null,
  references: null,
  warnings: [],
};

const uuid = "0b9f6d5a-1c2d-4e3f-8a9b-aabbccddeeff";

test("an empty envelope, and one that holds nothing known, index nothing and warn of nothing", () => {
  expect(indexOf({})).toEqual(nothing);
  expect(indexOf({ foo: 1, Title: "x", breadcrumbs: 1, exception: [], message: 5, sdk: 1, fingerprint: {} })).toEqual(
    nothing,
  );
  expect(indexOf({ app: { name: 1, build: 2 }, user: { name: 3 }, dropped: 1, clientReport: 2 })).toEqual(nothing);
});

test("a full envelope is indexed in full", () => {
  const sha256 = "AB".repeat(32);
  const found = indexOf({
    version: 1,
    reportId: uuid.toUpperCase(),
    type: "crash",
    title: "It fell",
    level: "fatal",
    occurredAt: "2026-11-21T10:00:00.123+02:00",
    sentAt: "2026-11-21T10:00:00Z",
    app: { version: "1.2.3", environment: "production" },
    user: { id: "u1", email: "a@example.org" },
    tags: { a: "1", b: "2" },
    attachments: [
      { part: "attachment_0", filename: "a.png", contentType: "image/png", size: 5, sha256, kind: "screenshot" },
      { part: "attachment_1" },
    ],
  });
  expect(found).toEqual({
    version: 1,
    reportId: uuid,
    type: "crash",
    title: "It fell",
    level: "fatal",
    occurredAt: "2026-11-21T10:00:00.123+02:00",
    sentAt: "2026-11-21T10:00:00Z",
    release: "1.2.3",
    environment: "production",
    userId: "u1",
    userEmail: "a@example.org",
    tags: { a: "1", b: "2" },
    references: [
      {
        part: "attachment_0",
        filename: "a.png",
        contentType: "image/png",
        size: 5,
        sha256: sha256.toLowerCase(),
        kind: "screenshot",
        path: "/attachments/0",
      },
      {
        part: "attachment_1",
        filename: null,
        contentType: null,
        size: null,
        sha256: null,
        kind: "other",
        path: "/attachments/1",
      },
    ],
    warnings: [],
  } satisfies EnvelopeIndex);
});

interface Indexed {
  path: string;
  as: keyof EnvelopeIndex;
  right: (string | number)[];
  wrong: unknown[];
}

const noText = [1, 0, true, false, [], ["a"], {}, { a: 1 }];
const openText = { right: ["", "a", "null", "ünïcödé 😀", "a\nb"], wrong: noText };
const moments = {
  right: [
    "2026-11-21",
    "2026-11-21T10:00",
    "2026-11-21T10:00Z",
    "2026-11-21T10:00:00",
    "2026-11-21T10:00:00Z",
    "2026-11-21T10:00:00.1Z",
    "2026-11-21T10:00:00,123456789+05:30",
    "2026-11-21T10:00:00-0530",
    "2026-11-21T10:00:00+14",
    "2024-02-29T23:59:59Z",
    "2000-02-29T00:00:00Z",
    "2016-12-31T23:59:60Z",
    "1970-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999Z",
    "2026-11-21T10:00:00-00:00",
  ],
  wrong: [
    ...noText,
    1_763_719_200,
    "",
    "yesterday",
    "2026",
    "2026-11",
    "2026-02-30",
    "2026-02-29T10:00:00Z",
    "1900-02-29T10:00:00Z",
    "2026-04-31T10:00:00Z",
    "2026-13-01T10:00:00Z",
    "2026-00-01T10:00:00Z",
    "2026-01-00T10:00:00Z",
    "2026-01-32T10:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T25:00:00Z",
    "2026-01-01T10:60:00Z",
    "2026-01-01T10:00:61Z",
    "2026-01-01T10:00:00+24:00",
    "2026-01-01T10:00:00+05:60",
    "2026-01-01T10:00:00+5",
    "2026-01-01T10:00:00+",
    "2026-01-01T10:00:00.Z",
    "2026-01-01T1:00:00Z",
    "2026-1-1T10:00:00Z",
    "2026-01-01T",
    "2026-01-01Z",
    "2026-01-01T10:00:00ZZ",
    " 2026-01-01T10:00:00Z",
    "2026-01-01T10:00:00Z\n",
    "２０２６-01-01T10:00:00Z",
    "Sat, 21 Nov 2026 10:00:00 GMT",
  ],
};

const members: Indexed[] = [
  {
    path: "/version",
    as: "version",
    right: [0, 1, 2, -1, 1e3, 9007199254740991],
    wrong: ["1", 1.5, 1e300, true, [], {}],
  },
  {
    path: "/reportId",
    as: "reportId",
    right: [uuid, "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"],
    wrong: [
      ...noText,
      "",
      "x",
      uuid.slice(1),
      `${uuid}0`,
      `{${uuid}}`,
      uuid.replaceAll("-", ""),
      ` ${uuid}`,
      `${uuid}\n`,
    ],
  },
  { path: "/type", as: "type", ...openText },
  { path: "/title", as: "title", ...openText },
  {
    path: "/level",
    as: "level",
    right: ["fatal", "error", "warning", "info", "debug"],
    wrong: [...noText, "", "Fatal", "warn", "critical", "error ", "constructor", "__proto__"],
  },
  { path: "/occurredAt", as: "occurredAt", ...moments },
  { path: "/sentAt", as: "sentAt", ...moments },
  { path: "/app/version", as: "release", ...openText },
  { path: "/app/environment", as: "environment", ...openText },
  { path: "/user/id", as: "userId", ...openText },
  { path: "/user/email", as: "userEmail", ...openText },
];

function envelopeWith(path: string, value: unknown): Record<string, unknown> {
  const [, outer = "", inner] = path.split("/");
  return { [outer]: inner === undefined ? value : { [inner]: value } };
}

test.each(members.map((member) => [member.path, member] as const))("%s, right", (path, { as, right }) => {
  for (const value of right) expect(indexOf(envelopeWith(path, value))).toEqual({ ...nothing, [as]: value });
});

test.each(members.map((member) => [member.path, member] as const))(
  "%s, wrong, costs nothing but itself and is named",
  (path, { as, wrong }) => {
    for (const value of wrong) {
      const found = indexOf({ type: "crash", ...envelopeWith(path, value) });
      expect([value, found[as]]).toEqual([value, null]);
      expect(found.warnings).toEqual([{ path, code: "wrong_type", message: expect.stringContaining(path.slice(1)) }]);
      if (as !== "type") expect(found.type).toBe("crash");
    }
  },
);

test.each(members.map(({ path }) => path))("%s of null is as if absent", (path) => {
  expect(indexOf(envelopeWith(path, null))).toEqual(nothing);
});

test.each(members.filter(({ right }) => right.includes("a")).map(({ path, as }) => [path, as] as const))(
  "%s is cut at 200 code points without a warning, and holds nothing that a database cannot",
  (path, as) => {
    const kept = (text: string) => {
      const { [as]: value, warnings } = indexOf(envelopeWith(path, text));
      expect(warnings).toEqual([]);
      return value;
    };
    for (const letter of ["x", "é", "😀"]) {
      expect(kept(letter.repeat(200))).toBe(letter.repeat(200));
      expect(kept(letter.repeat(201))).toBe(letter.repeat(200));
      expect(kept(letter.repeat(100_000))).toBe(letter.repeat(200));
    }
    expect(kept(`x${"😀".repeat(200)}`)).toBe(`x${"😀".repeat(199)}`);
    expect(kept("a\0b\ud800c\udc00")).toBe("a\ufffdb\ufffdc\ufffd");
    expect(kept("\udc00\ud800")).toBe("\ufffd\ufffd");
    expect(kept("\ud800".repeat(300))).toBe("\ufffd".repeat(200));
  },
);

test("a container of the wrong type is one warning at its own path; null is none", () => {
  for (const container of ["app", "user", "tags"]) {
    for (const value of [1, "x", true, false, [], [{ version: 1 }]]) {
      expect(indexOf({ [container]: value })).toEqual({
        ...nothing,
        warnings: [{ path: `/${container}`, code: "wrong_type", message: expect.any(String) }],
      });
    }
    expect(indexOf({ [container]: null })).toEqual(nothing);
    expect(indexOf({ [container]: {} })).toEqual(nothing);
  }
  for (const value of [1, "x", true, {}, { length: 1, 0: {} }]) {
    expect(warned({ attachments: value })).toEqual([["/attachments", "wrong_type"]]);
    expect(indexOf({ attachments: value }).references).toBeNull();
  }
  expect(indexOf({ attachments: null })).toEqual(nothing);
  expect(indexOf({ attachments: [] })).toEqual({ ...nothing, references: [] });
});

test("what an object has from its prototype is none of its members", () => {
  expect(indexOf('{"__proto__":{"title":"a","tags":{"b":"c"}},"user":{"__proto__":{"id":"x"}}}')).toEqual(nothing);
  expect(warned('{"app":{"__proto__":5}}')).toEqual([]);
});

function tags(count: number, value: unknown = "v"): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`tag-${i}`, value]));
}

test("100 tags are indexed; of 101 the first 100, with one warning", () => {
  expect(indexOf({ tags: tags(100) })).toMatchObject({ tags: tags(100), warnings: [] });
  const more = indexOf({ tags: tags(101) });
  expect(more.tags).toEqual(tags(100) as Record<string, string>);
  expect(more.warnings).toMatchObject([{ path: "/tags", code: "too_many" }]);
  expect(warned({ tags: tags(50_000, 1) }).length).toBeLessThanOrEqual(101);
});

test("a tag has 64 code points for its name and 256 for its value", () => {
  for (const letter of ["x", "é", "😀"]) {
    const fits = { [letter.repeat(64)]: letter.repeat(256) };
    expect(indexOf({ tags: fits })).toMatchObject({ tags: fits, warnings: [] });
    const [name, value] = [letter.repeat(65), letter.repeat(257)];
    const found = indexOf({ tags: { [name]: "v", a: value, b: "kept" } });
    expect({ ...found.tags }).toEqual({ b: "kept" });
    expect(found.warnings).toMatchObject([
      { path: `/tags/${name}`, code: "too_long" },
      { path: "/tags/a", code: "too_long" },
    ]);
  }
});

test("a tag that is no text is left out and named; one of null is left out", () => {
  const found = indexOf({ tags: { a: 1, b: true, c: [], d: {}, e: null, f: "" } });
  expect({ ...found.tags }).toEqual({ f: "" });
  expect(found.warnings.map(({ path, code }) => [path, code])).toEqual(
    ["a", "b", "c", "d"].map((name) => [`/tags/${name}`, "wrong_type"]),
  );
});

test("names of tags are escaped in paths, kept in the index, and made such as every database holds", () => {
  expect(warned({ tags: { "a/b~c": 1, "": 2 } })).toEqual([
    ["/tags/a~1b~0c", "wrong_type"],
    ["/tags/", "wrong_type"],
  ]);
  const found = indexOf('{"tags":{"__proto__":"p","constructor":"c","a\\u0000":"\\ud800","😀":"x"}}');
  expect(JSON.stringify(found.tags)).toBe('{"__proto__":"p","constructor":"c","a\ufffd":"\ufffd","😀":"x"}');
  expect(found.warnings).toEqual([]);
});

test("the path of a warning never grows with the report", () => {
  const found = indexOf({ tags: { ["x".repeat(1_000_000)]: 1, ["/".repeat(1_000_000)]: 1 } });
  expect(found.warnings).toHaveLength(2);
  for (const { path, message } of found.warnings) expect(path.length + message.length).toBeLessThan(2_000);
});

test.each([
  ["is no object", 1, [["/attachments/0", "wrong_type"]]],
  ["is null", null, [["/attachments/0", "wrong_type"]]],
  ["is a list", [], [["/attachments/0", "wrong_type"]]],
  ["has no part", {}, [["/attachments/0/part", "wrong_type"]]],
  ["has a part that is no text", { part: 1, kind: "bad" }, [["/attachments/0/part", "wrong_type"]]],
] as const)("a reference that %s is not used", (_, reference, expected) => {
  expect(warned({ attachments: [reference, { part: "a" }] })).toEqual(expected.map(([path, code]) => [path, code]));
  expect(indexOf({ attachments: [reference, { part: "a" }] }).references).toMatchObject([
    { part: "a", path: "/attachments/1" },
  ]);
});

test("a member of a reference that is wrong is left out and named; the rest is used", () => {
  const digest = "0".repeat(64);
  const wrong: Record<string, unknown[]> = {
    filename: [1, [], {}, true],
    contentType: [1, [], {}, true],
    size: ["1", -1, 1.5, 1e300, true, []],
    sha256: [1, "", digest.slice(1), `${digest}0`, "g".repeat(64), `${digest}\n`, []],
    kind: [1, "", "Screenshot", "viewHierarchy", "video", "__proto__", []],
  };
  const right = { part: "p", filename: "f", contentType: "t", size: 0, sha256: digest, kind: "log" };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      const { references, warnings } = indexOf({ attachments: [{ ...right, [name]: value }] });
      const left = name === "kind" ? "other" : null;
      expect(references).toEqual([{ ...right, [name]: left, path: "/attachments/0" }] as NonNullable<
        typeof references
      >);
      expect(warnings).toMatchObject([{ path: `/attachments/0/${name}`, code: "wrong_type" }]);
    }
    expect(warned({ attachments: [{ ...right, [name]: null }] })).toEqual([]);
  }
  for (const kind of ["screenshot", "recording", "log", "view_hierarchy", "other"] as const) {
    expect(indexOf({ attachments: [{ part: "p", kind }] }).references?.[0]?.kind).toBe(kind);
  }
});

test("20 references are looked at; of 21 the first 20, with one warning", () => {
  const listed = (count: number) => Array.from({ length: count }, (_, i) => ({ part: `p${i}` }));
  expect(indexOf({ attachments: listed(20) }).references).toHaveLength(20);
  expect(warned({ attachments: listed(20) })).toEqual([]);
  expect(indexOf({ attachments: listed(21) }).references).toHaveLength(20);
  expect(warned({ attachments: listed(21) })).toEqual([["/attachments", "too_many"]]);
  expect(warned({ attachments: Array(100_000).fill(1) })).toHaveLength(21);
});

test("a reference's part is compared, so it is not cut", () => {
  const part = "x".repeat(255);
  expect(indexOf({ attachments: [{ part }] }).references?.[0]?.part).toBe(part);
});

test("text is cut between code points, never within one", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 40 }), fc.nat(30), (text, most) => {
      const cut = indexText(text, most);
      expect(cut).toBe([...text].slice(0, most).join("").toWellFormed().replaceAll("\0", "\ufffd"));
    }),
  );
});

test("every day of four centuries is a moment, and no other", () => {
  const days = new Set<string>();
  for (let day = Date.UTC(1900, 0, 1); day < Date.UTC(2301, 0, 1); day += 86_400_000) {
    days.add(new Date(day).toISOString().slice(0, 10));
  }
  for (let year = 1900; year <= 2300; year++) {
    for (let month = 0; month <= 13; month++) {
      for (const day of [0, 1, 28, 29, 30, 31, 32]) {
        const text = [year, month, day].map((part) => String(part).padStart(2, "0")).join("-");
        if (isMoment(text) !== days.has(text)) throw new Error(text);
      }
    }
  }
});

test("every moment that a clock writes is one", () => {
  fc.assert(
    fc.property(fc.date({ min: new Date("0000-01-01"), max: new Date("9999-12-31"), noInvalidDate: true }), (date) => {
      expect(isMoment(date.toISOString())).toBe(true);
    }),
  );
});

const known = ["version", "reportId", "type", "title", "level", "occurredAt", "sentAt", "id", "email", "environment"];
const containers = ["app", "user", "tags", "attachments"];
const reference = ["part", "filename", "contentType", "size", "sha256", "kind"];
const name = fc.oneof(
  fc.constantFrom(...known, ...containers, ...reference, "__proto__", "a/b", "~1", ""),
  fc.string({ unit: "binary", maxLength: 10 }),
  fc.integer({ min: 250, max: 300 }).map((length) => "~".repeat(length)),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(
      null,
      true,
      1,
      -1,
      1.5,
      1e300,
      "",
      "fatal",
      uuid,
      "2026-02-30",
      "x".repeat(300),
      "\0\ud800",
    ),
    fc.array(tie("value"), { maxLength: 25 }),
    fc.array(fc.tuple(name, tie("value")), { maxLength: 8 }).map((entries) => Object.fromEntries(entries)),
  ),
}));
const envelope = fc
  .array(fc.tuple(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known, ...containers) }, name), value), {
    maxLength: 12,
  })
  .map((entries) => Object.fromEntries(entries) as Record<string, unknown>);

/**
 * The member that a JSON pointer leads to. Pointers are cut after 256 characters and made well formed, so names are
 * compared in that form.
 */
function resolve(document: unknown, path: string): unknown[] {
  let places = [document];
  for (const step of path.split("/").slice(1)) {
    const wanted = step.replaceAll("~1", "/").replaceAll("~0", "~");
    places = places.flatMap((place) => {
      if (typeof place !== "object" || place === null) return [];
      return Object.entries(place).flatMap(([name, value]) =>
        name.slice(0, limits.faultPathMax).toWellFormed() === wanted ? [value] : [],
      );
    });
  }
  return places;
}

test("no object is ever refused, and every warning is at a member that is there and names it", () => {
  fc.assert(
    fc.property(envelope, (given) => {
      const document = JSON.parse(JSON.stringify(given)) as Record<string, unknown>;
      const { warnings, ...index } = indexEnvelope(document);
      for (const { path, code, message } of warnings) {
        expect(warningCodes).toContain(code);
        expect(message).not.toBe("");
        // A warning names an absent member only where a reference lacks its part.
        const missed = /^\/attachments\/\d+\/part$/.test(path) ? path.replace(/\/part$/, "") : path;
        expect([path, resolve(document, missed).length > 0]).toEqual([path, true]);
      }
      // Names of tags that were cut or made well formed may become equal.
      const paths = warnings.map(({ path }) => path).filter((path) => !path.startsWith("/tags/"));
      expect(new Set(paths).size).toBeGreaterThanOrEqual(paths.length - 1);
      // Every database can store the indexed text.
      const { references, tags, version, ...texts } = index;
      for (const text of [...Object.values(texts), ...Object.keys(tags ?? {}), ...Object.values(tags ?? {})]) {
        expect(text === null || (text.isWellFormed() && !text.includes("\0"))).toBe(true);
      }
      for (const { filename, contentType } of references ?? []) {
        for (const text of [filename, contentType]) expect(text === null || text.isWellFormed()).toBe(true);
      }
      expect(version === null || Number.isSafeInteger(version)).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

test("indexing does not change the envelope", () => {
  fc.assert(
    fc.property(envelope, (given) => {
      const before = JSON.stringify(given);
      indexEnvelope(given);
      expect(JSON.stringify(given)).toBe(before);
    }),
  );
});
