import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The generator of types and the linters have a package of their own: they bring 200 packages and a TypeScript of
 * their own, none of which the server, the client or a test needs. Quick when they are there already. No file imports
 * their ajv: it stands among them because the plug-ins of Spectral's have to find the same one.
 *
 * A program of its own, run before what imports them: Bun remembers a folder that was missing when it looked.
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
