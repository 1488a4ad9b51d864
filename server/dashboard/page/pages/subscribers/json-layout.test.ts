import { expect, test } from "bun:test";
import { laidOutJson } from "./json-layout.ts";

test("each member has a line of its own", () => {
  expect(laidOutJson('{"error":"queue {full}","tries":[1,{"a":null}],"none":{},"empty":[]}')).toBe(
    `{
  "error": "queue {full}",
  "tries": [
    1,
    {
      "a": null
    }
  ],
  "none": {},
  "empty": []
}`,
  );
});

test("what was sent stays as it was sent", () => {
  const sent = '{ "big":12345678901234567890123, "twice":1, "twice":2, "x":"\\u0041\\"\\\\", "e":1.50e+3 }';
  const laidOut = laidOutJson(sent) ?? "";
  for (const part of ["12345678901234567890123", '"twice": 1,', '"twice": 2,', '"\\u0041\\"\\\\"', "1.50e+3"]) {
    expect(laidOut).toContain(part);
  }
  expect(laidOut.replaceAll(/\s/g, "")).toBe(sent.replaceAll(/\s/g, ""));
});

test("what is no JSON, or was cut, is left alone", () => {
  for (const text of ["", "queue unavailable", '"a"', "12", '{"a":', "<b>{}</b>", "{'a':1}"]) {
    expect(laidOutJson(text)).toBeUndefined();
  }
});

test("brackets alone stay small", () => {
  const deep = "[".repeat(8_000) + "]".repeat(8_000);
  expect((laidOutJson(deep) ?? "").length).toBeLessThan(1_000_000);
});
