import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { output } from "../output.ts";
import { progress } from "../progress.ts";
import { toMarkdown } from "./markdown.ts";
import { measuredPaths } from "./measured-paths.ts";
import { quoting } from "./readme.ts";
import { stampOf, withNumbers } from "./section.ts";

const root = join(import.meta.dir, "../../..");
const benchmarks = join(root, "docs/benchmarks.md");
const readme = join(root, "README.md");

/** Puts a report into its section of docs/benchmarks.md, and the number that README quotes into README. */
export async function writeNumbers(name: string, report: string) {
  const numbers = `${stampOf(new Date(), await sources(name))}\n\n${toMarkdown(report)}`;
  const page = withNumbers(readFileSync(benchmarks, "utf8"), name, numbers);
  writeFileSync(benchmarks, page);
  writeFileSync(readme, quoting(readFileSync(readme, "utf8"), page));
  progress(`wrote the numbers of ${name} to docs/benchmarks.md`);
}

async function sources(name: string): Promise<string> {
  const commit = await output(["git", "rev-parse", "--short=10", "HEAD"], root).catch(() => undefined);
  if (commit === undefined) return "from sources without a history";
  const changed = await output(["git", "status", "--porcelain", "--", ...(measuredPaths[name] ?? [])], root);
  return `commit ${commit}${changed === "" ? "" : " with changes"}`;
}
