import { expect, test } from "bun:test";
import { best, score } from "./fuzzy.ts";

const texts = ["Organisation", "Go to reports", "Export repeats", "Agent runs", "Clear the filter", "Go to the board"];
const found = (query: string, max = 5) => best(texts, (text) => score(text, query), max).map(({ item }) => item);

test("letters begin a word or go on with one", () => {
  expect(score("Go to the board", "gtb")).toBeNumber();
  expect(score("Go to the board", "gboa")).toBeNumber();
  expect(score("Go to the board", "bog")).toBeUndefined();
  expect(score("anything", "")).toBeNumber();
  expect(found("ar", 1)).toEqual(["Agent runs"]);
  expect(found("zzz")).toEqual([]);
});

test("letters that are scattered over a text are no answer", () => {
  expect(score("Clear the filter", "cart")).toBeUndefined();
  expect(score("Clear the filter", "clfil")).toBeNumber();
});

test("first the whole text, then its beginning, beginnings of words, a part, and letters", () => {
  const all = ["Uncarted", "Shop cart", "Cart totals", "Cart", "Card totals"];
  const ranked = best(all, (text) => score(text, "cart"), 5).map(({ item }) => item);
  expect(ranked).toEqual(["Cart", "Cart totals", "Shop cart", "Uncarted", "Card totals"]);
  expect(found("rep")).toEqual(["Go to reports", "Export repeats"]);
  expect(score("New token", "tok new")).toBeNumber();
});
