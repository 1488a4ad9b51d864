import { expect, test } from "bun:test";
import { queryWords, wordsOf } from "./report-terms.ts";

/** Unicode writes them out with ASCII punctuation or blanks, at which the index would split a word in two. */
const writtenOut = { "🄀𠀀": "0𠀀", "⑴ab": "1ab", "ab⒈c": "ab1c", ﷺ: "صلىاللهعليهوسلم" };

test.each(Object.entries(writtenOut))("%s is one word, in a report and in a query", (text, word) => {
  expect(wordsOf(text)).toEqual([word]);
  expect(queryWords(text)).toEqual([word]);
});
