import { expect, test } from "bun:test";
import { safePath } from "./safe-path.ts";

test("a path of this installation stays as it is", () => {
  for (const path of ["/", "/cards/1?q=a//b#c", "/p/1/reports?q=https://example.org"])
    expect(safePath(path)).toBe(path);
});

test("what leads to another place, or is none, becomes the start page", () => {
  const elsewhere = [
    null,
    "",
    "cards/1",
    "https://example.org/",
    "javascript:alert(1)",
    "//example.org",
    "/\\example.org",
    "/\t/example.org",
    "/\n/example.org",
    "/\r\\example.org",
    "\t//example.org",
    "/\t\\\texample.org",
  ];
  for (const path of elsewhere) expect([path, safePath(path)]).toEqual([path, "/"]);
});
