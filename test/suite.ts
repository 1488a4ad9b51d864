import { existsSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";

/**
 * What `bun run test` leaves to `bun run verify`: whatever starts a browser, generates or compiles clients, kills
 * servers, builds, or needs a program that is installed for the tests. A folder ends with a slash.
 */
const leftToVerify = [
  "test/agents/",
  "test/browser/",
  "test/client/",
  "test/docs/",
  "test/encoders/",
  "test/faults/",
  "test/generators/",
  "test/mcp/clients.test.ts",
  "test/package/",
  "test/webhooks/kill.test.ts",
  "test/webhooks/libraries.test.ts",
  "test/webhooks/messages.test.ts",
  "test/build.test.ts",
  "test/fresh-checkout.test.ts",
  "test/quickstart.test.ts",
];

const root = join(import.meta.dir, "..");

/** Milliseconds of each test file: as measured on this machine, and as they are kept for machines without that. */
const measured = "dist/test-times.json";
const kept = "test/times.json";

/** Every test file of the project is in one of the two. */
export function testFiles(): Record<"quick" | "others", string[]> {
  const all = [...new Bun.Glob("{client,openapi,server,test}/**/*.test.{ts,tsx}").scanSync(root)]
    .filter((path) => !path.includes("node_modules/"))
    .sort();
  const isLeft = (path: string) =>
    leftToVerify.some((left) => path === left || (left.endsWith("/") && path.startsWith(left)));
  return { quick: all.filter((path) => !isLeft(path)), others: all.filter(isLeft) };
}

/** Files at a time: the quick ones wait more than they compute; among the others are some that measure pauses. */
export const filesAtOnce = { quick: 2 * availableParallelism(), others: Math.max(2, availableParallelism()) };

export interface Outcome {
  passed: number;
  failed: number;
}

/**
 * Runs test files, so many of them at a time, and the slowest of former runs first. The numbers are those of the report
 * that the runner wrote. A skipped test counts as failed, and so does a file of which the report knows no test, because
 * it threw while it was imported or has none. A runner that failed without telling of a failed test counts as one.
 */
export async function runTests(name: string, files: readonly string[], atOnce: number): Promise<Outcome> {
  const report = join(root, `dist/test-report-${name}.xml`);
  rmSync(report, { force: true });
  const runner = Bun.spawn(
    [
      process.execPath,
      "test",
      // What hangs is found; a slow machine is no failure.
      "--timeout=60000",
      `--parallel=${atOnce}`,
      `--timings=${measured}`,
      `--timings=${kept}`,
      "--update-timings",
      "--reporter=junit",
      `--reporter-outfile=${report}`,
      ...files.map((path) => `./${path}`),
    ],
    { cwd: root, stdio: ["ignore", "inherit", "inherit"] },
  );
  const ended = (await runner.exited) === 0;
  const written = existsSync(report) ? readFileSync(report, "utf8") : "";
  const [suites = ""] = /<testsuites [^>]*>/.exec(written) ?? [];
  const number = (name: string) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(suites)?.[1] ?? 0);
  const refused = number("failures") + number("errors") + number("skipped");
  const passed = number("tests") - refused;
  const untested = files.filter((path) => !written.includes(` file="${path}"`));
  for (const path of untested) say(`no test of ${path} was run`);
  const failed = refused + untested.length;
  return { passed, failed: ended && passed > 0 ? failed : Math.max(1, failed) };
}

/** The ten files that took longest, and the line with the sums. Returns the exit code. */
export function close(files: readonly string[], outcomes: readonly Outcome[]): number {
  const times = join(root, measured);
  const { files: taken } = existsSync(times)
    ? (JSON.parse(readFileSync(times, "utf8")) as { files: Record<string, number> })
    : { files: {} };
  const slowest = files
    .map((path) => ({ path, milliseconds: taken[path] ?? 0 }))
    .sort((one, other) => other.milliseconds - one.milliseconds)
    .slice(0, 10);
  say("the ten slowest files");
  for (const { path, milliseconds } of slowest) say(`${(milliseconds / 1000).toFixed(1).padStart(6)} s  ${path}`);
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
  const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0);
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

export function say(text: string) {
  process.stdout.write(`== ${text}\n`);
}
