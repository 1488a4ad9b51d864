import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findFaults } from "./find-faults.ts";
import { findUnknownClasses } from "./find-unknown-classes.ts";
import { findUnusedExports } from "./find-unused-exports.ts";
import { importsOf } from "./imports.ts";
import { isPublic } from "./public.ts";
import { rooms, typesUpward } from "./rooms.ts";

/**
 * `bun test/architecture/check.ts`: fails when a room imports one above it, when folders import each other in a circle,
 * when a name is exported that no other file imports, and when a page and the style sheets name different CSS classes.
 */
const root = join(import.meta.dir, "../..");
const files = new Map(
  ["server", "openapi", "client", "release", "test"].flatMap((folder) =>
    [...new Bun.Glob(`${folder}/**/*.{ts,tsx}`).scanSync(root)]
      .filter((file) => !/(^|\/)(node_modules|dist|\.work)\//.test(file))
      .map((file) => [file, readFileSync(join(root, file), "utf8")] as const),
  ),
);
const imports = [...files]
  .filter(([file]) => !file.startsWith("test/") && !/\.test\.tsx?$/.test(file))
  .flatMap(([file, text]) => importsOf(file, text));
const dashboard = "server/dashboard/page/";
const styles = new Map(
  [...new Bun.Glob(`${dashboard}style/*.css`).scanSync(root)].map((file) => [
    file,
    readFileSync(join(root, file), "utf8"),
  ]),
);
const pages = new Map([...files].filter(([file]) => file.startsWith(dashboard) && !/\.test\.tsx?$/.test(file)));
const faults = [
  ...findFaults(imports, rooms, typesUpward),
  ...findUnusedExports(files, isPublic),
  ...findUnknownClasses(styles, pages),
];
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.stdout.write(`${files.size} files, ${imports.length} imports, ${faults.length} faults\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
