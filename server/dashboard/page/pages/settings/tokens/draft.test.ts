import { expect, test } from "bun:test";
import { changes, isReady, lengthOf, newDraft, reachOf } from "./draft.ts";

const draft = { ...newDraft(["a"]), name: "CI" };

test("a draft is ready with a name of 1 to 80 code points and a limit that the server takes", () => {
  expect(isReady(draft)).toBe(true);
  expect(isReady({ ...draft, name: " " })).toBe(false);
  expect(isReady({ ...draft, name: "🎫".repeat(80) })).toBe(true);
  expect(isReady({ ...draft, name: "🎫".repeat(81) })).toBe(false);
  for (const limit of ["0", "", "1.5", "x", "1000001"]) expect(isReady({ ...draft, limit })).toBe(false);
  expect(lengthOf("🎫é")).toBe(2);
});

test("a reach that was chosen is kept beside all projects, and not sent", () => {
  expect(reachOf({ ...draft, all: true })).toBe("all");
  expect(reachOf(draft)).toEqual(["a"]);
});

test("only what is another is told, and the order of a list is not", () => {
  expect(changes(draft, { ...draft })).toEqual([]);
  expect(changes({ ...draft, projects: ["a", "b"] }, { ...draft, projects: ["b", "a"] })).toEqual([]);
  expect(changes(draft, { ...draft, name: "CD", scopes: [] })).toEqual([
    { what: "Name", from: "CI", to: "CD" },
    { what: "Scopes", from: "tickets:write", to: "none" },
  ]);
});
