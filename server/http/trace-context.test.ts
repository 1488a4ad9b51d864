import { expect, test } from "bun:test";
import { traceOf } from "./trace-context.ts";

const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
const span = "00f067aa0ba902b7";

function read(...values: string[]) {
  const headers = new Headers();
  for (const value of values) headers.append("traceparent", value);
  return traceOf(new Request("http://localhost/", { headers }));
}

test.each([`00-${trace}-${span}-01`, `00-${trace}-${span}-00`, `00-${trace}-${span}-ff`])("%s is read", (header) => {
  expect(read(header)).toEqual({ trace_id: trace, span_id: span });
});

test("a later version is read as far as it is known, with more behind it or without", () => {
  for (const header of [`01-${trace}-${span}-01`, `cc-${trace}-${span}-01-what-the-future-brings`]) {
    expect(read(header)).toEqual({ trace_id: trace, span_id: span });
  }
});

test.each([
  ["nothing", ""],
  ["a version that is no version", `ff-${trace}-${span}-01`],
  ["more behind version 00", `00-${trace}-${span}-01-more`],
  ["a dash behind version 00", `00-${trace}-${span}-01-`],
  ["more behind a later version without a dash", `01-${trace}-${span}-01.more`],
  ["upper case", `00-${trace.toUpperCase()}-${span}-01`],
  ["a trace of zeros", `00-${"0".repeat(32)}-${span}-01`],
  ["a span of zeros", `00-${trace}-${"0".repeat(16)}-01`],
  ["a short trace", `00-${trace.slice(1)}-${span}-01`],
  ["a long span", `00-${trace}-${span}0-01`],
  ["flags of one digit", `00-${trace}-${span}-1`],
  ["what is no hexadecimal digit", `00-${trace.replace("4", "g")}-${span}-01`],
  ["underscores", `00_${trace}_${span}_01`],
  ["the line of a log", `00-${trace}-${span}-01","level":"FATAL`],
  ["what is too long", `01-${trace}-${span}-01-${"x".repeat(1_000)}`],
])("%s is ignored", (_, header) => {
  expect(read(header)).toBeUndefined();
});

test("a header that came twice is ignored, of a later version too", () => {
  for (const header of [`00-${trace}-${span}-01`, `01-${trace}-${span}-01`, `01-${trace}-${span}-01-x`]) {
    expect(read(header, header)).toBeUndefined();
  }
});
