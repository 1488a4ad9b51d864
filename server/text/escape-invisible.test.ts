import { expect, test } from "bun:test";
import fc from "fast-check";
import { escapeInvisible } from "./escape-invisible.ts";

/** Texts at each position of which a slow pattern would begin again. */
const worst = [
  ...["\u0301", "\u064b", "\u0628\u064b", "\u0628", "\u0903", "\u0915", "\u094d", "\u05d0", "\u034f"],
  ...["\u200d", "\u200c", "\u202e", "\u200f", "\u061c", "\u0301\u200d", "\u0301\u200f", "\u064b\u200d\u064b"],
  ...[
    "👩",
    "👩\u200d",
    "🏽",
    "👩🏽",
    "👩🏽\u200d",
    "☕\ufe0f",
    "\ufe0f",
    "\u{1f3f4}",
    "\u{1f3f4}\u{e0067}",
    "\u{e0067}",
  ],
  ...["\u{1f1e6}", "\u0600", "م\u200c", "a\u0301", "\ud800", "\udc00"],
];

test("what turns text round or hides in it is shown as its code point", () => {
  expect(escapeInvisible("photo\u202egnp.exe")).toBe("photo[U+202E]gnp.exe");
  expect(escapeInvisible("a\u200bb\ufeff")).toBe("a[U+200B]b[U+FEFF]");
  const all = [
    ...["\u00ad", "\u061c", "\u180e", "\u200b", "\u200c", "\u200d", "\u200e", "\u200f"],
    ...["\u2028", "\u2029", "\u202a", "\u202b", "\u202c", "\u202d", "\u202e"],
    ...["\u2060", "\u2061", "\u2064", "\u2066", "\u2067", "\u2068", "\u2069", "\u206a", "\u206f"],
    ...["\ufeff", "\ufff9", "\ufffb", "\u3164", "\u{e0001}", "\u{e0041}", "\u{1d173}"],
  ];
  for (const one of all) {
    const code = one.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0");
    expect(escapeInvisible(`CI${one} main`)).toBe(`CI[U+${code}] main`);
  }
});

test("ordinary text stays as it is, in whatever script", () => {
  for (const text of [
    "Straße, naïve, 東京, Ελλάδα, e\u0301",
    "שלום עולם",
    "قائمة المهام ١٢٣",
    "\u0600١٢",
    // A mark of direction after a bracket that follows Hebrew, as keyboards insert it.
    "גרסה\u200f (2)",
    "\u200fעברית",
    // Persian and Hindi use joiners and non-joiners.
    "می\u200cخواهم",
    "क्\u200dष",
    "క్\u200cక",
    "👩\u200d💻 👨‍👩‍👧‍👦 🏳️\u200d🌈 ❤️\u200d🔥 👩🏽\u200d🚀",
    "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "⚠️ ☕",
  ]) {
    expect(escapeInvisible(text)).toBe(text);
  }
});

test("what is ordinary in one place misleads in another", () => {
  expect(escapeInvisible("pay\u200dpal")).toBe("pay[U+200D]pal");
  expect(escapeInvisible("👩\u200d")).toBe("👩[U+200D]");
  expect(escapeInvisible("admin\u200f")).toBe("admin[U+200F]");
  expect(escapeInvisible("שלום\u202eabc")).toBe("שלום[U+202E]abc");
  expect(escapeInvisible("🏴\u{e0067}x")).toBe("🏴[U+E0067]x");
});

test("nothing else is changed, twice is the same as once, and no control of direction gets through", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const shown = escapeInvisible(text);
      expect(escapeInvisible(shown)).toBe(shown);
      expect(/[\u200b\u202a-\u202e\u2060\u2066-\u2069\ufeff]/u.test(shown)).toBe(false);
      if (!/\p{Cf}|\p{Z}|\p{Default_Ignorable_Code_Point}/u.test(text)) expect(shown).toBe(text);
    }),
  );
});

test("a text costs as much as it is long, whatever it is made of", () => {
  // Each text takes milliseconds; if the time grew with the square of the length, a single one would take a minute.
  const started = performance.now();
  for (const part of worst) {
    const text = `\u0628👩${part.repeat(30_000 / [...part].length)}`;
    for (const end of ["\u202e", "\u200d"]) expect(escapeInvisible(text + end).length).toBeGreaterThan(29_000);
    expect(performance.now() - started).toBeLessThan(20_000);
  }
}, 300_000);
