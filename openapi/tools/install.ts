import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Installs the generator of types and the linters. They have a package of their own, because they bring 200 packages
 * and another TypeScript, none of which the server, the client or a test needs. Takes no time when they are installed.
 * No file imports ajv: it is listed because the plug-ins of Spectral have to find the same copy. A program of its own
 * that runs before the programs that import them, because Bun remembers a folder that was missing when it looked.
 */
const stamp = join(import.meta.dir, "node_modules/.made-from");
const wanted = readFileSync(join(import.meta.dir, "bun.lock"), "utf8");

if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== wanted) {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, "install", "--frozen-lockfile", "--ignore-scripts"], {
    cwd: import.meta.dir,
  });
  if (exitCode !== 0) throw new Error(`the tools for the OpenAPI documents were not installed: ${stderr}`);
  writeFileSync(stamp, wanted);
}
