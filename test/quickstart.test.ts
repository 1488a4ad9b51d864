import { expect, test } from "bun:test";
import { join } from "node:path";

test("the quick start ends with one ticket from two requests", async () => {
  const child = Bun.spawn([process.execPath, "run", "quickstart", "--once"], {
    cwd: join(import.meta.dir, ".."),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("two requests, one ticket");
}, 60_000);
