import { readFileSync } from "node:fs";
import { join } from "node:path";
import { breaks } from "./breaking/breaks.ts";
import type { Document } from "./model/openapi.ts";
import { ownFindings } from "./rules.ts";
import { lint } from "./tools/linters.ts";

/**
 * `bun openapi/lint.ts`: checks the committed documents with linters, and that clients of the released document still
 * work. At a release, `openapi.json` is copied to `released/v1.json`.
 */
for (const name of ["openapi.json", "openapi.3.0.json"]) {
  const text = read(name);
  report(name, [...ownFindings(JSON.parse(text)), ...(await lint(text))]);
}
report("since released/v1.json", breaks(parsed("released/v1.json"), parsed("openapi.json")));

function report(what: string, findings: readonly string[]) {
  process.stdout.write(`${what}: ${findings.length === 0 ? "nothing found" : `${findings.length} found`}\n`);
  for (const finding of findings) process.stdout.write(`  ${finding}\n`);
  if (findings.length > 0) process.exitCode = 1;
}

function parsed(name: string): Document {
  return JSON.parse(read(name)) as Document;
}

function read(name: string): string {
  return readFileSync(join(import.meta.dir, name), "utf8");
}
