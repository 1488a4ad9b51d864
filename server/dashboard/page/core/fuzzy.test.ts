import { expect, test } from "bun:test";
import { best, score } from "./fuzzy.ts";

test("every letter has to be there, in order", () => {
  expect(score("Go to the board", "gtb")).toBeNumber();
  expect(score("Go to the board", "bog")).toBeUndefined();
  expect(score("anything", "")).toBeNumber();
});

test("beginnings of words and letters in a row win", () => {
  const texts = ["Organisation", "Go to reports", "Export repeats", "Agent runs"];
  expect(best(texts, "rep", (text) => text, 2)).toEqual(["Go to reports", "Export repeats"]);
  expect(best(texts, "ar", (text) => text, 1)).toEqual(["Agent runs"]);
  expect(best(texts, "zzz", (text) => text, 5)).toEqual([]);
});
