import { expect, test } from "bun:test";
import { printable } from "./printable.ts";

test.each([
  ["thanks", "thanks"],
  ["zwei\n\tZeilen ü 👩‍🚀", "zwei\n\tZeilen ü 👩‍🚀"],
  ["{\r\n}\r", "{\n}\u{fffd}"],
  ["a\0b\u001b[31mc\r\u007f\u0085", "a\u{fffd}b\u{fffd}[31mc\u{fffd}\u{fffd}\u{fffd}"],
  ["abc\u{202e}cba\u{2066}", "abc\u{fffd}cba\u{fffd}"],
])("%p is shown as %p", (text, shown) => {
  expect(printable(Buffer.from(text))).toBe(shown);
});

test("bytes that are no UTF-8 are replaced, and a character that was cut in two is left out", () => {
  expect(printable(Uint8Array.of(0x61, 0xff, 0x62))).toBe("a\u{fffd}b");
  expect(printable(Buffer.from("aé").subarray(0, 2))).toBe("a");
  expect(printable(Buffer.from("a👍").subarray(0, 4))).toBe("a");
});
