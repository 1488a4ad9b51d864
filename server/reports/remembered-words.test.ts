import { expect, test } from "bun:test";
import { RememberedWords } from "./remembered-words.ts";

const said = (message: string) => ({ message, dropped: false });

test("words are returned once", () => {
  const remembered = new RememberedWords();
  remembered.add("a", said("one"));
  expect(remembered.take("a")).toEqual(said("one"));
  expect(remembered.take("a")).toBeUndefined();
});

test("10,000 reports are remembered and no further one, until one was taken", () => {
  const remembered = new RememberedWords();
  for (let i = 0; i < 10_001; i++) remembered.add(`${i}`, said(""));
  expect(remembered.take("10000")).toBeUndefined();
  expect(remembered.take("9999")).toEqual(said(""));
  remembered.add("10000", said(""));
  expect(remembered.take("10000")).toEqual(said(""));
});

test("a million characters are remembered and not one more, until a message was taken or all were forgotten", () => {
  const remembered = new RememberedWords();
  remembered.add("long", said("x".repeat(999_999)));
  remembered.add("beyond", said("xx"));
  expect(remembered.take("beyond")).toBeUndefined();
  remembered.add("fits", said("x"));
  expect(remembered.take("fits")).toEqual(said("x"));
  remembered.take("long");
  remembered.add("again", said("x".repeat(1_000_000)));
  expect(remembered.take("again")).toBeDefined();

  remembered.add("left", said("x".repeat(1_000_000)));
  remembered.clear();
  expect(remembered.take("left")).toBeUndefined();
  remembered.add("after", said("x".repeat(1_000_000)));
  expect(remembered.take("after")).toBeDefined();
});
