import { readFileSync } from "node:fs";
import { join } from "node:path";
import { outdated } from "./age.ts";
import { quoting } from "./readme.ts";

/**
 * `bun test/bench/numbers/check.ts`: names the sections of docs/benchmarks.md whose numbers are older than their code,
 * which is no failure, and fails when README quotes another number than stands there.
 */
const root = join(import.meta.dir, "../../..");
const [page, readme] = ["docs/benchmarks.md", "README.md"].map((name) => readFileSync(join(root, name), "utf8"));
const old = outdated(page ?? "", lastChange);
if (old.length > 0) {
  process.stdout.write(
    `docs/benchmarks.md: older than the code that they measure are the numbers of ${old.join(", ")}; on a quiet machine: bun run bench --write ${old.join(" ")}\n`,
  );
}
if (quoting(readme ?? "", page ?? "") !== readme) {
  process.stderr.write("README.md quotes another number of tickets a second than docs/benchmarks.md has\n");
  process.exitCode = 1;
}

function lastChange(paths: readonly string[]): number | undefined {
  if (!Bun.which("git")) return undefined;
  const { exitCode, stdout } = Bun.spawnSync(["git", "log", "-1", "--format=%ct", "--", ...paths], { cwd: root });
  const seconds = Number(stdout.toString());
  return exitCode === 0 && seconds > 0 ? seconds * 1_000 : undefined;
}
