import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildClientIfChanged, packed } from "../../client/build.ts";

const root = join(import.meta.dir, "../../dist/client-tests");

/** A folder of modules with `@intake/client` as its users install it: built, packed, unpacked. */
export async function packedClient(): Promise<string> {
  buildClientIfChanged();
  // Several test files want it at the same time: it is unpacked aside, and stays where it is once it is there.
  const digest = Bun.SHA256.hash(await Bun.file(packed.file).bytes(), "hex");
  const place = join(root, digest.slice(0, 16));
  const modules = join(place, "node_modules");
  if (existsSync(place)) return modules;
  mkdirSync(root, { recursive: true });
  const aside = mkdtempSync(join(root, "unpacking-"));
  const home = join(aside, "node_modules/@intake/client");
  mkdirSync(home, { recursive: true });
  const { exitCode, stderr } = Bun.spawnSync(["tar", "-xzf", packed.file, "-C", home, "--strip-components=1"]);
  if (exitCode !== 0) throw new Error(`tar: ${stderr}`);
  try {
    renameSync(aside, place);
  } catch (error) {
    rmSync(aside, { recursive: true });
    if (!existsSync(place)) throw error;
  }
  return modules;
}
