import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findFaults } from "./find-faults.ts";
import { importsOf } from "./imports.ts";
import { rooms, typesUpward } from "./rooms.ts";

/** `bun test/architecture/check.ts`: fails when a room imports one above it, or folders import each other in a circle. */
const root = join(import.meta.dir, "../..");
const files = ["server", "openapi", "client"]
  .flatMap((folder) => [
    ...new Bun.Glob(`${folder}/**/*.ts`).scanSync(root),
    ...new Bun.Glob(`${folder}/**/*.tsx`).scanSync(root),
  ])
  .filter((file) => !file.includes("node_modules/") && !file.includes("/dist/") && !/\.test\.tsx?$/.test(file));
const imports = files.flatMap((file) => importsOf(file, readFileSync(join(root, file), "utf8")));
const faults = findFaults(imports, rooms, typesUpward);
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.stdout.write(`${files.length} files, ${imports.length} imports, ${faults.length} faults\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
