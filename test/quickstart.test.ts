import { expect, test } from "bun:test";
import { join } from "node:path";
import { finished } from "./support/binary.ts";

test("the quick start ends with one ticket and one report from two requests each", async () => {
  const child = Bun.spawn([process.execPath, "run", "quickstart", "--once"], {
    cwd: join(import.meta.dir, ".."),
    stdout: "pipe",
    stderr: "pipe",
  });
  const { code, stdout, stderr } = await finished(child);
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("two requests, one ticket");
  expect(stdout).toContain("two submissions, one report");
}, 300_000);
