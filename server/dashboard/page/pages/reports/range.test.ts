import { expect, test } from "bun:test";
import { inputMoment, rangeIn, rangeQuery } from "./range.ts";

test("a range is read from an address, and written to it", () => {
  const read = (query: string) => rangeQuery(rangeIn(new URLSearchParams(query)));
  expect(read("")).toEqual({ range: "24h" });
  expect(read("range=7d")).toEqual({ range: "7d" });
  expect(read("range=9y")).toEqual({ range: "24h" });
  const [since, until] = ["2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"];
  expect(read(`since=${since}&until=${until}`)).toEqual({ range: undefined, since, until });
  expect(read(`since=${until}&until=${since}`)).toEqual({ range: "24h" });
  expect(read(`since=yesterday&until=${since}`)).toEqual({ range: "24h" });
});

test("an input of a moment gets it in the reader's zone", () => {
  expect(new Date(inputMoment("2026-01-01T10:20:30.000Z")).getTime()).toBe(Date.parse("2026-01-01T10:20:00.000Z"));
});
