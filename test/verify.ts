import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { close, filesSideBySide, type Outcome, runTests, say, testFiles } from "./suite.ts";
import { pgbouncerProgram } from "./support/pgbouncer.ts";
import { programsOfPostgres, sharedPostgresOf, startSharedPostgres } from "./support/postgres.ts";
import { S3Server, s3Environment } from "./support/s3-server.ts";

/**
 * `bun run verify`: on a machine with nothing but Bun, installs what it needs, checks, builds, runs every test, and
 * closes with one line `N passed, N failed`, summed from the reports that the runners wrote themselves.
 */
const root = join(import.meta.dir, "..");
const bun = process.execPath;

/** Programs that the tests drive, and the Debian packages they come in. */
const programs = {
  strace: "strace",
  setpriv: "util-linux",
  mount: "mount",
  curl: "curl",
  zsh: "zsh",
  fish: "fish",
  groff: "groff-base",
  jq: "jq",
  minisign: "minisign",
  openssl: "openssl",
  python3: "python3-venv",
  node: "nodejs",
  npm: "npm",
  go: "golang-go",
  javac: "default-jdk-headless",
  mvn: "maven",
  git: "git",
  ssh: "openssh-client",
  "chromium-headless-shell": "chromium-headless-shell",
  postgres: "postgresql",
  pgbouncer: "pgbouncer",
  promtool: "prometheus",
} as const;

/** The compilers written in Go end within seconds: with a larger heap they collect garbage a few times instead of dozens. */
process.env["GOGC"] ??= "400";

async function main(): Promise<number> {
  const installing = installPrograms();
  const modules = await inTurn([["install", [bun, "install", "--frozen-lockfile"]]]);
  const installs = installing.then(installAll);
  const first = await inTurn([
    ["tools of the OpenAPI documents", [bun, "openapi/tools/install.ts"]],
    ["build", [bun, "server/build.ts"]],
    // Builds the package again, where tests would read it.
    ["package of the client, within its sizes", [bun, "client/size.ts"]],
  ]);
  if (modules.failed + first.failed > 0) return close({}, [modules, first, await installing, ...(await installs)]);
  const checked = inTurn(checks);
  const installed = await installing;
  const texts = mkdtempSync(join(tmpdir(), "intake-texts-"));
  const environment = { ...(await startSharedPostgres()), INTAKE_SQL_TEXTS: texts };
  const { quick, others, usesInstalled, onPostgres } = testFiles();
  const quickOnes = async () => {
    const first = await runTests("quick", quick, filesSideBySide.quick, environment);
    // The S3 server is among what is installed.
    await installs;
    return [first, await runOnPostgres(onPostgres, environment)];
  };
  // Most tests need nothing but the programs, and run while the installers wait for the network.
  const meanwhile = await Promise.all([
    checked,
    quickOnes(),
    runTests("others", others, filesSideBySide.others, environment),
    installs.then(async (outcomes) => {
      return [...outcomes, await runTests("installed", usesInstalled, filesSideBySide.usesInstalled, environment)];
    }),
  ]);
  const checkTexts = ["texts of SQL on both engines", [bun, "test/store/postgres/check-texts.ts", texts]] as const;
  const last = await inTurn([checkTexts]);
  rmSync(texts, { recursive: true });
  return close({ quick, others, installed: usesInstalled, postgres: onPostgres }, [
    modules,
    first,
    installed,
    ...meanwhile.flat(),
    last,
  ]);
}

/** Runs suites of the quick run and others with rows on PostgreSQL and attachments on S3, and says what that costs. */
async function runOnPostgres(
  files: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const server = sharedPostgresOf(environment);
  const before = server.processorSeconds();
  const bucket = await S3Server.start();
  const on = { ...environment, ...s3Environment, INTAKE_TEST_STORE: "postgres", INTAKE_TEST_FILES: bucket.newPlace() };
  const outcome = await runTests("postgres", files, filesSideBySide.onPostgres, on);
  await bucket.stop();
  const [tests, database] = [outcome.processorSeconds, server.processorSeconds() - before].map(Math.round);
  say(`on PostgreSQL: ${tests} s of processor time for the tests, ${database} s for PostgreSQL`);
  return outcome;
}

/** What the tests install for themselves, in two rows side by side, after the pip that both of them use. */
async function installAll(): Promise<Outcome[]> {
  const pip = await inTurn([["pip", [bun, "test/support/virtual-environment.ts"]]]);
  const rows = await Promise.all([
    // Each of these uses what the one before has installed; the last one a part of Go's library that is compiled by then.
    inTurn([
      ["encoders", [bun, "test/encoders/install.ts"]],
      ["runtimes", [bun, "test/client/install.ts"]],
      ["generators", [bun, "test/generators/install.ts"]],
      ["S3 server", [bun, "test/s3-server/install.ts"]],
    ]),
    inTurn([
      ["clients of the Model Context Protocol", [bun, "test/mcp/install.ts"]],
      ["SSH server for runners", [bun, "test/agents/install.ts"]],
      ["compilers and judges of the package", [bun, "test/package/install.ts"]],
    ]),
  ]);
  return [pip, ...rows];
}

/** In one thread: threads of tsc do part of their work twice, and the processors have other work here. */
const tsc = [bun, "x", "tsc", "--singleThreaded", "-p"];

const checks: readonly Step[] = [
  ["format and lint", [bun, "x", "biome", "check", "."]],
  ["order of the rooms", [bun, "test/architecture/check.ts"]],
  ["types", [...tsc, "."]],
  ["types of the client", [...tsc, "client"]],
  ["types of the reference page", [...tsc, "server/docs/page"]],
  ["types of the dashboard", [...tsc, "server/dashboard/page"]],
  ["generated documents", [bun, "openapi/generate.ts", "--check"]],
  ["generated tables", [bun, "server/docs-tables.ts", "--check"]],
  ["OpenAPI documents", [bun, "openapi/lint.ts"]],
  ["scripts and styles of the dashboard, within their sizes", [bun, "server/dashboard/size.ts"]],
];

function installPrograms(): Promise<Outcome> {
  const missing = Object.entries(programs).filter(([program]) => !isInstalled(program));
  if (missing.length === 0) return inTurn([]);
  const packages = [...new Set(missing.map(([, name]) => name))];
  say(`installing ${packages.join(", ")}`);
  return inTurn([
    ["package lists", ["apt-get", "update", "-qq"]],
    ["packages", ["apt-get", "install", "-y", "-qq", ...packages]],
  ]);
}

function isInstalled(program: string): boolean {
  if (program === "postgres") return programsOfPostgres() !== undefined;
  if (program === "pgbouncer") return pgbouncerProgram() !== null;
  return Bun.which(program) !== null && !lacksVenv(program);
}

/** Debian has a python3 that cannot make a virtual environment; the package of that name adds it. */
function lacksVenv(program: string): boolean {
  return program === "python3" && Bun.spawnSync([program, "-c", "import ensurepip"]).exitCode !== 0;
}

type Step = readonly [name: string, command: readonly string[]];

/** One step after the other; each counts as one that passed or failed. */
async function inTurn(steps: readonly Step[]): Promise<Outcome> {
  const failures: string[] = [];
  let passed = 0;
  for (const [name, command] of steps) {
    if (await succeeds(name, command)) passed++;
    else failures.push(`step: ${name}\n`);
  }
  return { passed, failed: failures.length, failures };
}

/** What a step prints is told when it has ended, as others run beside it. */
async function succeeds(name: string, command: readonly string[]): Promise<boolean> {
  const started = performance.now();
  const step = Bun.spawn([...command], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const [printed, complaints, exitCode] = await Promise.all([
    new Response(step.stdout).text(),
    new Response(step.stderr).text(),
    step.exited,
  ]);
  const milliseconds = Math.round(performance.now() - started);
  say(`${name}: ${exitCode === 0 ? "ok" : `FAILED (exit ${exitCode})`}, ${milliseconds} ms`);
  process.stdout.write(`${printed}${complaints}`);
  return exitCode === 0;
}

process.exitCode = await main();
