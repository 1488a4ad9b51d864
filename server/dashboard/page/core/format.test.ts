import { expect, test } from "bun:test";
import { compact, whole } from "./format.ts";

const numbers = [0, 1, 949, 950, 999, 1_000, 1_049, 1_050, 1_150, 1_250, 2_500, 9_949, 9_950, 99_949, 99_950, 123_456]
  .concat([999_949, 999_950, 999_999, 1_000_000, 1_234_567, 999_949_999, 999_950_000, 1_050_000_000, 7_654_321_098_765])
  .concat(Array.from({ length: 20_000 }, (_, i) => i * 51));

test("numbers are written as browsers write them", () => {
  const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
  for (const number of numbers) {
    expect([number, compact(number)]).toEqual([number, short.format(number).toLowerCase()]);
    expect(whole(number)).toBe(number.toLocaleString("en"));
  }
});
