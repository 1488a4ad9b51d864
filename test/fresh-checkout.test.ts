import { expect, test } from "bun:test";
import { cpSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./support/temporary-folder.ts";

const root = join(import.meta.dir, "..");
const made = /\/(node_modules|\.cache|shots)$/;

/** The sources and what `bun install` adds, without the output of other steps or tests. */
function freshCheckout(): string {
  const folder = temporaryFolder();
  for (const name of [
    "client",
    "openapi",
    "server",
    "test",
    "LICENSE",
    "package.json",
    "tsconfig.json",
    "bunfig.toml",
  ]) {
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: (path) => !made.test(path) });
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

test("a test of the contract runs the first time, after bun install alone", () => {
  const folder = freshCheckout();
  const one = ["test/contract/document-envelope.test.ts", "--test-name-pattern", "every member that is indexed"];
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, "test", ...one], { cwd: folder });
  rmSync(folder, { recursive: true });
  expect([exitCode, stderr.toString()]).toEqual([0, expect.stringContaining(" 1 pass")]);
}, 300_000);
