import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildClientIfChanged, packed } from "../../client/build.ts";

const folder = join(import.meta.dir, "../../dist/client-tests/node_modules");
let unpacked = false;

/** A folder of modules with `@intake/client` as its users install it: built, packed, unpacked. */
export function packedClient(): string {
  if (unpacked) return folder;
  buildClientIfChanged();
  const home = join(folder, "@intake/client");
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  const { exitCode, stderr } = Bun.spawnSync(["tar", "-xzf", packed.file, "-C", home, "--strip-components=1"]);
  if (exitCode !== 0) throw new Error(`tar: ${stderr}`);
  unpacked = true;
  return folder;
}
