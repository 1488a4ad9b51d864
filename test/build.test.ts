import { afterAll, expect, test } from "bun:test";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { binaryPath, requireBinary, runJson } from "./support/binary.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const root = join(import.meta.dir, "..");
const elsewhere = temporaryFolder();
afterAll(() => rmSync(elsewhere, { recursive: true, force: true }));

async function digest(path: string): Promise<string> {
  return new Bun.CryptoHasher("sha256").update(await Bun.file(path).arrayBuffer()).digest("hex");
}

test("the same sources give the same bytes, wherever they lie", async () => {
  requireBinary();
  for (const name of [
    "server",
    "openapi",
    "client",
    "LICENSE",
    "package.json",
    "tsconfig.json",
    "bunfig.toml",
    "bun.lock",
  ]) {
    cpSync(join(root, name), join(elsewhere, name), { recursive: true });
  }
  for (const command of [["install", "--frozen-lockfile", "--silent"], ["server/build.ts"]]) {
    const { exitCode, stderr } = Bun.spawnSync([process.execPath, ...command], { cwd: elsewhere });
    expect([exitCode, stderr.toString()]).toEqual([0, ""]);
  }
  expect(await digest(join(elsewhere, "dist/intake"))).toBe(await digest(binaryPath));
}, 600_000);

test("the binary carries the versions it was built with", async () => {
  const version = await runJson<{ bun: string; sqlite: string }>(["version"]);
  expect(version).toMatchObject({ bun: Bun.version, sqlite: expect.stringMatching(/^3\.\d+\.\d+$/) });
});
