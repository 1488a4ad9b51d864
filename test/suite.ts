import { existsSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";

/**
 * What `bun run test` leaves to `bun run verify`: whatever starts a browser, generates or compiles clients, kills
 * servers, builds, or needs a program that is installed for the tests. A folder ends with a slash.
 */
const leftToVerify = [
  "test/agents/",
  "test/backup/",
  "test/browser/",
  "test/cli/completion.test.ts",
  "test/cli/man-pages.test.ts",
  "test/client/",
  "test/docs/",
  "test/encoders/",
  "test/faults/",
  "test/generators/",
  "test/mcp/clients.test.ts",
  "test/monitoring/",
  "test/package/",
  "test/release/",
  "test/scale/chaos.test.ts",
  "test/store/s3-files.test.ts",
  "test/store/postgres/",
  "test/webhooks/kill.test.ts",
  "test/webhooks/libraries.test.ts",
  "test/webhooks/messages.test.ts",
  "test/build.test.ts",
  "test/fresh-checkout.test.ts",
  "test/quickstart.test.ts",
  "test/quickstart/",
];

/**
 * Where suites are about behaviour that is the same on both engines: `bun run verify` runs the files that use an
 * installation a second time, on PostgreSQL with attachments on S3. Of the commands, those are enough that change and
 * read most. Any other file may be run there by hand, with INTAKE_TEST_STORE=postgres.
 */
const onBothEngines = [
  "server/",
  "test/agents/",
  "test/cli/commands.test.ts",
  "test/cli/events.test.ts",
  "test/contract/",
  "test/dashboard/",
  "test/faults/",
  "test/mail/",
  "test/monitoring/",
  "test/webhooks/",
];

/** What among these is about the file of SQLite: its disk, its rights, its steps of the schema, its statements. */
const onSqliteAlone = [
  "server/backup/",
  "test/cli/start-trouble.test.ts",
  "test/cli/statement-times.test.ts",
  "test/dashboard/reports/upgrade.test.ts",
  "test/dashboard/settings/upgrade.test.ts",
  // On PostgreSQL a server goes by the database's clock, and does not start where the machine's is far from it.
  "test/faults/clock.test.ts",
  "test/faults/damage.test.ts",
  "test/faults/disk.test.ts",
  "test/faults/ingest-disk.test.ts",
  // An envelope is read before anything is stored, and how long that took is counted by each process for itself.
  "test/faults/ingest-hostile.test.ts",
  "test/faults/going-back.test.ts",
  "test/faults/log-disk.test.ts",
  "test/faults/upgrade-check.test.ts",
  "test/faults/upgrade-copies.test.ts",
  "test/faults/upgrade.test.ts",
];

const root = join(import.meta.dir, "..");

/** Milliseconds of each test file, for machines that have not measured them yet. */
const kept = "test/times.json";

/** Milliseconds of each test file as this machine measured them; each run of tests writes a file of its own. */
const measured = (name: string) => `dist/test-times-${name}.json`;

/**
 * Every test file of the project is in one of the first three. `usesInstalled` are the files that use what an
 * `install.ts` installs. `onPostgres` are those that run a second time, on PostgreSQL.
 */
export function testFiles(): Record<"quick" | "others" | "usesInstalled" | "onPostgres", string[]> {
  const all = [...new Bun.Glob("{client,openapi,server,test}/**/*.test.{ts,tsx}").scanSync(root)]
    .filter((path) => !path.includes("node_modules/"))
    .sort();
  const isLeft = isAmong(leftToVerify);
  const isShared = isAmong(onBothEngines);
  const isLeftOut = isAmong(onSqliteAlone);
  const usesInstaller = (path: string) => isLeft(path) && imports(path, "/install.ts");
  return {
    quick: all.filter((path) => !isLeft(path)),
    others: all.filter((path) => isLeft(path) && !usesInstaller(path)),
    usesInstalled: all.filter(usesInstaller),
    onPostgres: all.filter(
      (path) =>
        isShared(path) && !isLeftOut(path) && !usesInstaller(path) && imports(path, "test/support/installation.ts"),
    ),
  };
}

function isAmong(names: readonly string[]) {
  return (path: string) => names.some((name) => path === name || (name.endsWith("/") && path.startsWith(name)));
}

/** Whether a test file, or a module of the tests that it imports, imports a module whose path ends like this. */
function imports(testFile: string, end: string): boolean {
  const seen = new Set<string>();
  const follow = (path: string): boolean => {
    if (path.endsWith(end)) return true;
    if (seen.has(path) || !(path === testFile || path.startsWith("test/"))) return false;
    seen.add(path);
    return scanner
      .scanImports(readFileSync(join(root, path)))
      .some(({ path: imported }) => imported.startsWith(".") && follow(join(dirname(path), imported)));
  };
  return follow(testFile);
}
const scanner = new Bun.Transpiler({ loader: "ts" });

const processors = availableParallelism();

/** Files at a time of a run that has the machine for itself: a test waits for processes and timers about as long as it computes. */
export const filesAtOnce = 2 * processors;

/**
 * Files at a time of the runs of `verify`, of which three go on side by side: the quick tests mostly wait, for timers and
 * disks, while browsers and compilers keep the processors busy. The run on PostgreSQL comes last, when others have ended.
 */
export const filesSideBySide = {
  quick: processors + 1,
  others: processors + 1,
  usesInstalled: processors,
  onPostgres: 2 * processors,
};

export interface Outcome {
  passed: number;
  failed: number;
  /** What was printed about that which failed, to be told again at the end of a long run. */
  failures?: readonly string[];
}

interface TestsOutcome extends Outcome {
  /** Processor time of the tests, and of all processes that they started and waited for. */
  processorSeconds: number;
}

/**
 * Runs test files, so many of them at a time, and the slowest of former runs first. The numbers are those of the report
 * that the runner wrote. A skipped test counts as failed, and so does a file of which the report knows no test, because
 * it threw while it was imported or has none. A runner that failed without telling of a failed test counts as one.
 */
export async function runTests(
  name: string,
  files: readonly string[],
  atOnce: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<TestsOutcome> {
  const report = join(root, `dist/test-report-${name}.xml`);
  rmSync(report, { force: true });
  const runner = Bun.spawn(
    [
      process.execPath,
      "test",
      // What hangs is found; a slow machine is no failure.
      "--timeout=180000",
      `--parallel=${atOnce}`,
      `--timings=${measured(name)}`,
      `--timings=${kept}`,
      "--update-timings",
      "--reporter=junit",
      `--reporter-outfile=${report}`,
      ...files.map((path) => `./${path}`),
    ],
    { cwd: root, env: { ...process.env, ...environment }, stdio: ["ignore", "inherit", "pipe"] },
  );
  const failures = await passOn(runner.stderr);
  const ended = (await runner.exited) === 0;
  const written = existsSync(report) ? readFileSync(report, "utf8") : "";
  const [suites = ""] = /<testsuites [^>]*>/.exec(written) ?? [];
  const number = (name: string) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(suites)?.[1] ?? 0);
  const refused = number("failures") + number("errors") + number("skipped");
  const passed = number("tests") - refused;
  const untested = files.filter((path) => !written.includes(` file="${path}"`));
  for (const path of untested) {
    failures.push(`no test of ${path} was run\n`);
    say(`no test of ${path} was run`);
  }
  const failed = refused + untested.length;
  return {
    passed,
    failed: ended && passed > 0 ? failed : Math.max(1, failed),
    failures,
    processorSeconds: Number(runner.resourceUsage()?.cpuTime.total ?? 0) / 1e6,
  };
}

/** Prints what a runner prints, and returns what it printed about each test that failed: its last lines at most. */
async function passOn(printed: ReadableStream<Uint8Array>): Promise<string[]> {
  const failures: string[] = [];
  let lines: string[] = [];
  let isTold = false;
  for await (const line of linesOf(printed)) {
    process.stderr.write(`${line}\n`);
    lines.push(line);
    // A runner of many files names what failed once more at its end, without what it said.
    if (/^\d+ tests failed:$/.test(line)) isTold = true;
    if (line.startsWith("(fail)") && !isTold) failures.push(`${lines.slice(-linesOfFailure).join("\n")}\n`);
    if (/^\((pass|fail|skip|todo)\)/.test(line)) lines = [];
  }
  return failures;
}

/** What a failed test says last: its error, and where. */
const linesOfFailure = 40;

async function* linesOf(printed: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of printed) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

/** The ten files that took longest, what failed, and the line with the sums. Returns the exit code. */
export function close(runs: Readonly<Record<string, readonly string[]>>, outcomes: readonly Outcome[]): number {
  const slowest = Object.entries(runs)
    .flatMap(([name, files]) => {
      const taken = millisecondsOf(name);
      return files.map((path) => ({ path, milliseconds: taken[path] ?? 0 }));
    })
    .sort((one, other) => other.milliseconds - one.milliseconds)
    .slice(0, 10);
  say("the ten slowest files");
  for (const { path, milliseconds } of slowest) say(`${(milliseconds / 1000).toFixed(1).padStart(6)} s  ${path}`);
  const failures = outcomes.flatMap((outcome) => outcome.failures ?? []);
  if (failures.length > 0) say("what failed");
  process.stdout.write(failures.slice(0, 20).join(""));
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
  const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0);
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

/** By test file, as the run of that name measured them. */
function millisecondsOf(name: string): Record<string, number> {
  const path = join(root, measured(name));
  if (!existsSync(path)) return {};
  return (JSON.parse(readFileSync(path, "utf8")) as { files: Record<string, number> }).files;
}

export function say(text: string) {
  process.stdout.write(`== ${text}\n`);
}
