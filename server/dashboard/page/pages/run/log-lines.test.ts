import { describe, expect, test } from "bun:test";
import { LogLines, plainText } from "./log-lines.ts";

function rowsOf(...pieces: string[]): string[] {
  const lines = new LogLines();
  for (const piece of pieces) lines.append(piece);
  return lines.rows;
}

describe("rows of a log", () => {
  test("are the same however the text is cut into pieces", () => {
    const text = "one\n\x1b[31mtwo\x1b[0m\r\n\nthr\u00e9\u00e9 \x1b]8;;https://x.example\x07link\x1b]8;;\x07\nlast";
    const whole = rowsOf(text);
    expect(whole).toEqual(["one", "two", "", "thréé link", "last"]);
    for (let at = 1; at < text.length; at++) expect(rowsOf(text.slice(0, at), text.slice(at))).toEqual(whole);
    expect(rowsOf(...text)).toEqual(whole);
  });

  test("end with a line that goes on", () => {
    const lines = new LogLines();
    lines.append("10 %");
    expect(lines.rows).toEqual(["10 %"]);
    lines.append("\r20 %");
    expect(lines.rows).toEqual(["20 %"]);
    lines.append("\nready\n");
    expect(lines.rows).toEqual(["20 %", "ready"]);
  });

  test("a long line takes several rows, and one that never ends is not kept open", () => {
    expect(rowsOf("x".repeat(2_500)).map(({ length }) => length)).toEqual([1_000, 1_000, 500]);
    const lines = new LogLines();
    for (let i = 0; i < 300; i++) lines.append("y".repeat(1_000));
    expect(lines.text.replaceAll("\n", "").length).toBe(300_000);
  });

  test("the oldest give way when there are too many", () => {
    const lines = new LogLines();
    lines.append(`${"\n".repeat(200_000)}end`);
    expect(lines.rows.length).toBe(200_000);
    expect(lines.rows.at(-1)).toBe("end");
    expect(lines.dropped).toBe(1);
  });

  test("a mark stands on a line of its own", () => {
    const lines = new LogLines();
    lines.append("first");
    lines.mark("attempt 2");
    lines.append("second");
    expect(lines.rows).toEqual(["first", "attempt 2", "second"]);
  });
});

describe("plain text", () => {
  test("has no codes of terminals and no control characters", () => {
    expect(plainText("\x1b[1;32m✔\x1b[0m passed\x1b[K")).toBe("✔ passed");
    expect(plainText("\x1b]0;title\x1b\\body\x1b(B")).toBe("body");
    expect(plainText("a\x00b\x07c\x85d")).toBe("a\ufffdb\ufffdc\ufffdd");
    expect(plainText("a\tb")).toBe("a    b");
  });
});
