import { expect, test } from "bun:test";
import { mentionAt, mentionsIn } from "./mentions.ts";

const people = ["Ann", "Ann Lee", "Bo (QA)"].map((name, i) => ({ id: String(i), name }));
const named = (text: string) => mentionsIn(text, people).map(({ name }) => name);

test("a mention begins with an @ after a blank, and offers whom it may mean", () => {
  expect(mentionAt("hello @an", 9, people)?.found.map(({ name }) => name)).toEqual(["Ann", "Ann Lee"]);
  expect(mentionAt("hello @le", 9, people)).toEqual({ from: 6, found: [{ id: "1", name: "Ann Lee" }] });
  expect(mentionAt("mail@an", 7, people)).toBeUndefined();
  expect(mentionAt("@nobody", 7, people)).toBeUndefined();
  expect(mentionAt("@ann and more", 13, people)).toBeUndefined();
});

test("who is named is told by the longest name", () => {
  expect(named("@Ann Lee look")).toEqual(["Ann Lee"]);
  expect(named("@Ann and @Ann Lee and @Bo (QA)")).toEqual(["Ann Lee", "Bo (QA)", "Ann"]);
  expect(named("Ann")).toEqual([]);
});
