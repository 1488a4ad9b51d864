import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * `bun run verify`: on a machine with nothing but Bun, installs what it needs, checks, builds, runs every test, and
 * closes with one line `N passed, N failed`, summed from the reports that the runners wrote themselves.
 */
const root = join(import.meta.dir, "..");
const bun = process.execPath;
const report = join(root, "dist/test-report.xml");
/** Milliseconds of each test file: in this run, and in the one that was kept for the order of the next ones. */
const measured = join(root, "dist/test-times.json");
const former = join(root, "test/times.json");

interface Outcome {
  passed: number;
  failed: number;
}

/** Programs that the tests drive, and the Debian packages they come in. */
const programs = {
  strace: "strace",
  setpriv: "util-linux",
  mount: "mount",
  curl: "curl",
  python3: "python3-venv",
  node: "nodejs",
  npm: "npm",
  go: "golang-go",
  javac: "default-jdk-headless",
  mvn: "maven",
  git: "git",
  ssh: "openssh-client",
  chromium: "chromium",
} as const;

async function main(): Promise<number> {
  installPrograms();
  const steps: Outcome[] = [];
  if (!step("install", [bun, "install", "--frozen-lockfile"])) return close([{ passed: 0, failed: 1 }]);
  steps.push(checked("tools of the OpenAPI documents", [bun, "openapi/tools/install.ts"]));
  steps.push(checked("format and lint", [bun, "x", "biome", "check", "."]));
  steps.push(checked("order of the rooms", [bun, "test/architecture/check.ts"]));
  steps.push(checked("types", [bun, "x", "tsc"]));
  steps.push(checked("types of the reference page", [bun, "x", "tsc", "-p", "server/docs/page"]));
  steps.push(checked("types of the dashboard", [bun, "x", "tsc", "-p", "server/dashboard/page"]));
  steps.push(checked("generated documents", [bun, "openapi/generate.ts", "--check"]));
  steps.push(checked("generated tables", [bun, "server/docs-tables.ts", "--check"]));
  steps.push(checked("OpenAPI documents", [bun, "openapi/lint.ts"]));
  steps.push(checked("scripts and styles of the dashboard, within their sizes", [bun, "server/dashboard/size.ts"]));
  steps.push(checked("build", [bun, "server/build.ts"]));
  steps.push(checked("encoders", [bun, "test/encoders/install.ts"]));
  steps.push(checked("package of the client, within its sizes", [bun, "client/size.ts"]));
  steps.push(checked("runtimes", [bun, "test/client/install.ts"]));
  steps.push(checked("clients of the Model Context Protocol", [bun, "test/mcp/install.ts"]));
  steps.push(checked("SSH server for runners", [bun, "test/agents/install.ts"]));
  steps.push(checked("generators", [bun, "test/generators/install.ts"]));
  steps.push(checked("compilers and judges of the package", [bun, "test/package/install.ts"]));
  steps.push(tests());
  return close(steps);
}

function installPrograms() {
  const missing = Object.entries(programs).filter(([program]) => !Bun.which(program) || lacksVenv(program));
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map(([, name]) => name))];
  say(`installing ${packages.join(", ")}`);
  step("package lists", ["apt-get", "update", "-qq"]);
  step("packages", ["apt-get", "install", "-y", "-qq", ...packages]);
}

/** Debian has a python3 that cannot make a virtual environment; the package of that name adds it. */
function lacksVenv(program: string): boolean {
  return program === "python3" && Bun.spawnSync([program, "-c", "import ensurepip"]).exitCode !== 0;
}

function step(name: string, command: string[]): boolean {
  say(name);
  const started = performance.now();
  const { exitCode } = Bun.spawnSync(command, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  say(`${name}: ${exitCode === 0 ? "ok" : `FAILED (exit ${exitCode})`}, ${Math.round(performance.now() - started)} ms`);
  return exitCode === 0;
}

function checked(name: string, command: string[]): Outcome {
  return step(name, command) ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/**
 * Files run beside each other, the slowest of former runs first: most of their time they wait for servers and browsers.
 * The report tells the numbers; a runner that failed without telling of a failed test counts as one.
 */
function tests(): Outcome {
  rmSync(report, { force: true });
  rmSync(measured, { force: true });
  const ended = step("tests", [
    bun,
    "test",
    // What hangs is found; a slow machine is no failure.
    "--timeout=20000",
    "--parallel=2",
    `--timings=${measured}`,
    `--timings=${former}`,
    "--update-timings",
    "--reporter=junit",
    `--reporter-outfile=${report}`,
  ]);
  sayTheSlowest();
  const [suites = ""] = existsSync(report) ? (/<testsuites [^>]*>/.exec(readFileSync(report, "utf8")) ?? []) : [];
  const number = (name: string) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(suites)?.[1] ?? 0);
  const failed = number("failures") + number("errors") + number("skipped");
  const passed = number("tests") - failed;
  return { passed, failed: ended && passed > 0 ? failed : Math.max(1, failed) };
}

function sayTheSlowest() {
  if (!existsSync(measured)) return;
  const { files } = JSON.parse(readFileSync(measured, "utf8")) as { files: Record<string, number> };
  const slowest = Object.entries(files)
    .sort(([, one], [, other]) => other - one)
    .slice(0, 10);
  say("the ten slowest files");
  for (const [file, milliseconds] of slowest) say(`${(milliseconds / 1000).toFixed(1).padStart(6)} s  ${file}`);
}

function close(steps: readonly Outcome[]): number {
  const passed = steps.reduce((sum, outcome) => sum + outcome.passed, 0);
  const failed = steps.reduce((sum, outcome) => sum + outcome.failed, 0);
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

function say(text: string) {
  process.stdout.write(`== ${text}\n`);
}

process.exitCode = await main();
