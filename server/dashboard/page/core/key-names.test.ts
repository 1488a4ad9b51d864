import { expect, test } from "bun:test";
import { keyNames } from "./key-names.ts";

test("a capital is its letter with Shift, and a blank has a name", () => {
  expect(keyNames("f")).toEqual([["F"]]);
  expect(keyNames("F")).toEqual([["Shift", "F"]]);
  expect(keyNames(" ")).toEqual([["Space"]]);
  expect(keyNames("?")).toEqual([["?"]]);
});

test("keys that are held together stay together, presses follow each other", () => {
  expect(keyNames("Alt+ArrowDown")).toEqual([["Alt", "↓"]]);
  expect(keyNames("Control+k")).toEqual([["Ctrl", "K"]]);
  expect(keyNames("g b")).toEqual([["G"], ["B"]]);
});
