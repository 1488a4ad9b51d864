import { expect, test } from "bun:test";
import { plainJson } from "./plain-json.ts";

test("is the same value, and nothing in it turns text round, hides or steers a terminal", () => {
  const value = {
    name: "photo\u202egnp.exe",
    "\u200b": ["\u001b[2J\u009b2J", "\u2028", "\u{e0041}", "שלום 👩\u200d💻"],
  };
  const json = plainJson(JSON.stringify(value));
  expect(JSON.parse(json)).toEqual(value);
  expect(json).toContain("photo\\u202egnp.exe");
  expect(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(json)).toBe(false);
  expect(plainJson(`${JSON.stringify({ a: "ä" })}\n`)).toBe('{"a":"ä"}\n');
});
