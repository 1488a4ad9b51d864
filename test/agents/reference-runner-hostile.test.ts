import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { limits } from "../../openapi/schema/limits.ts";
import { cancelRun } from "../../server/agents/cancel-run.ts";
import { executeCommand } from "../../server/agents/runner/execute-command.ts";
import { endTree, treeOf } from "../../server/agents/runner/process-tree.ts";
import { type RunningBinary, serve } from "../support/binary.ts";
import { type Installation, install } from "../support/installation.ts";
import {
  assignTicket,
  between,
  logOf,
  openWorkshop,
  type RunningRunner,
  runOf,
  startRunner,
  type Workshop,
} from "../support/runner.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(300_000);

/**
 * A process that outlives its parents, writes down its id and removes some of the traces by which it could be found.
 */
function stranger(name: string, sheds: string): string {
  return `file="$SCRIPTS/pid of ${name}"
(${sheds}; exec setsid env -i sh -c 'echo $$ > "$0"; exec sleep 1000' "$file") &
while [ ! -s "$file" ]; do sleep 0.05; done; echo left`;
}

/** Agents that behave badly, each a run of one runner that executes them all at once. */
const agents = {
  "leaves children": "sleep 1000 & sleep 1000 & echo left",
  "leaves a daemon": "setsid sleep 1000 & setsid sh -c 'sleep 1000 & sleep 1000' > /dev/null & sleep 0.2; echo left",
  "leaves a child that ignores SIGTERM": `(trap "" TERM; while :; do sleep 0.2; done) & echo left`,
  // Another session and an empty environment: not even the parent process can be found.
  "leaves a stranger that holds the output": stranger("output", "cd /"),
  "leaves a stranger in its folder": stranger("folder", "exec > /dev/null 2>&1 < /dev/null"),
  "leaves a stranger without a trace": "(cd /; exec setsid env -i sleep 8 > /dev/null 2>&1 < /dev/null) & echo left",
  "has a visitor": `echo "$INTAKE_RUN_FOLDER" > "$SCRIPTS/visited"
while [ ! -e "$SCRIPTS/visitor is there" ]; do sleep 0.05; done; echo left`,
  "starts a runner": `(export INTAKE_RUN_FOLDER="$TMPDIR/intake-run-inner"; cd /; exec > /dev/null 2>&1; exec setsid sleep 1000) & echo left`,
  "is binary": "head -c 100000 /dev/urandom; printf 'a\\000b\\377c\\033[31mred'",
  "prints 6 MiB": "yes 0123456789abcde | head -c 6291456",
  "prints 300 MB without a line end": "tr '\\000' x < /dev/zero | head -c 300000000",
  "closes its output": "exec >&- 2>&-; sleep 0.3; exit 0",
  "reads nothing": "exec <&-; exit 0",
  "kills itself": "kill -KILL $$",
  "removes its folder": `rm -rf "$INTAKE_RUN_FOLDER"; echo gone`,
  "makes folders that cannot be removed": "mkdir -p a/b && touch a/b/c && chmod 500 a/b a",
  "result: not JSON": `echo '{"outcome":' > "$INTAKE_RUN_RESULT"`,
  "result: a list": `echo '[]' > "$INTAKE_RUN_RESULT"`,
  "result: wrong members": `echo '{"outcome":"won","creditsUsed":-1,"token":"x"}' > "$INTAKE_RUN_RESULT"`,
  "result: too many credits": `echo '{"creditsUsed":1e15}' > "$INTAKE_RUN_RESULT"`,
  "result: a link": `ln -s /etc/passwd "$INTAKE_RUN_RESULT"`,
  "result: a folder": `mkdir "$INTAKE_RUN_RESULT"`,
  "result: a pipe": `mkfifo "$INTAKE_RUN_RESULT"`,
  "result: huge": `head -c 300000 /dev/zero > "$INTAKE_RUN_RESULT"`,
  "result: elsewhere": 'echo \'{"outcome":"failed"}\' > result.json',
  "result: against its status": `echo '{"outcome":"succeeded","summary":"Fine."}' > "$INTAKE_RUN_RESULT"; exit 9`,
  "cancelled: tidies up": `trap 'echo "{\\"summary\\":\\"Half.\\",\\"creditsUsed\\":4}" > "$INTAKE_RUN_RESULT"; exit' TERM
touch "$SCRIPTS/ready tidies"; while :; do sleep 0.2; done`,
  "cancelled: ignores SIGTERM": `trap "" TERM; setsid sh -c 'trap "" TERM; while :; do sleep 0.2; done' &
touch "$SCRIPTS/ready ignores"; while :; do sleep 0.2; done`,
};
type Agent = keyof typeof agents;

let installation: Installation;
let server: RunningBinary;
let workshop: Workshop;
let runner: RunningRunner;
/** A run whose server stops answering as soon as the command works. */
let lonely: { runner: RunningRunner; runId: string; ended: Promise<AtTheEnd> };
/** What stood when the runner ended. */
interface AtTheEnd {
  now: number;
  run: Awaited<ReturnType<typeof runOf>>;
}
const runs = new Map<string, string>();

beforeAll(async () => {
  installation = await install();
  server = await serve(installation.folder);
  workshop = await openWorkshop(installation);
  lonely = await startLonely();
  const ready = ["tidies", "ignores"].map((name) => join(workshop.scripts, `ready ${name}`));
  for (const [title, script] of Object.entries(agents)) {
    writeFileSync(join(workshop.scripts, title), script);
    const description = title === "reads nothing" ? "x".repeat(limits.descriptionMax) : "";
    runs.set(title, (await assignTicket(server.url, installation, { title, description })).runId);
  }
  runner = startRunner(server.url, workshop, ["--concurrency", String(runs.size), "--no-clone"]);
  await until(() => ready.every((path) => existsSync(path)) || undefined, 150);
  for (const title of ["cancelled: tidies up", "cancelled: ignores SIGTERM"] as const) {
    await cancelRun({ ctx: installation.ctx, input: { id: idOf(title) } });
  }
});
afterAll(async () => {
  lonely.runner.signal("SIGKILL");
  runner.signal("SIGTERM");
  expect(await runner.exited).toBe(0);
  expect(readdirSync(workshop.work)).toEqual([]);
  await server.stop();
  await installation.remove();
});

async function startLonely() {
  const [title, works] = ["lonely", join(workshop.scripts, "ready lonely")];
  const script = `trap 'touch "$SCRIPTS/stopped"; exit' TERM; touch "$SCRIPTS/ready lonely"; sleep 120 & wait`;
  writeFileSync(join(workshop.scripts, title), script);
  const { runId } = await assignTicket(server.url, installation, { title });
  const proxy = between((_, forward) =>
    existsSync(works) ? Promise.reject(new Error("silent")) : forward(server.url),
  );
  proxy.unref();
  const own = { ...workshop, work: workshop.scripts };
  const runner = startRunner(proxy.url.href, own, ["--once", "--no-clone"]);
  await until(() => existsSync(works) || undefined);
  const ended = runner.exited.then(async () => ({ now: Date.now(), run: await runOf(installation, runId) }));
  return { runner, runId, ended };
}

function idOf(agent: Agent): string {
  return runs.get(agent) ?? "none";
}

/** Waits until the run has ended, and checks that none of its processes are left. */
async function ended(agent: Agent) {
  const id = idOf(agent);
  await runner.said(new RegExp(`run ${id}: (succeeded|failed|cancelled)\n`));
  expect(processesOf(id)).toEqual([]);
  return {
    ...(await runOf(installation, id)),
    log: (await logOf(installation, id)).replace("Running the command\n", ""),
  };
}

function processesOf(runId: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "latin1").includes(`INTAKE_RUN_ID=${runId}`);
    } catch {
      return false;
    }
  });
}

describe("processes", () => {
  test.each<Agent>(["leaves children", "leaves a daemon", "leaves a child that ignores SIGTERM", "starts a runner"])(
    "%s: ended with it",
    async (agent) => {
      expect(await ended(agent)).toMatchObject({ state: "succeeded", log: "left\n" });
    },
  );

  test.each<[Agent, string]>([
    ["leaves a stranger that holds the output", "output"],
    ["leaves a stranger in its folder", "folder"],
  ])("%s: ended with it", async (agent, name) => {
    expect(await ended(agent)).toMatchObject({ state: "succeeded", log: "left\n" });
    const pid = (await Bun.file(join(workshop.scripts, `pid of ${name}`)).text()).trim();
    const command = await Bun.file(`/proc/${pid}/cmdline`)
      .text()
      .catch(() => "");
    expect(command).toBe("");
  });

  test("one that has left every trace does not hold up its run", async () => {
    const { state, log, started_at, ended_at } = await ended("leaves a stranger without a trace");
    expect({ state, log }).toEqual({ state: "succeeded", log: "left\n" });
    expect((ended_at ?? 0) - (started_at ?? 0)).toBeLessThan(60_000);
  });

  test("a command that kills itself", async () => {
    expect(await ended("kills itself")).toMatchObject({ state: "failed", summary: "The command ended with SIGKILL." });
  });
});

/**
 * A process that shares nothing with a run unless the options say so: another session, another folder, no environment.
 */
function bystander({ cwd = "/", env = {}, appends }: Bystander = {}) {
  const command = appends ? ["sh", "-c", 'exec >> "$0"; echo ready >&2; exec sleep 1000', appends] : ["sleep", "1000"];
  return Bun.spawn(command, { cwd, env, stdio: ["ignore", "ignore", "pipe"], detached: true });
}
interface Bystander {
  cwd?: string;
  env?: Record<string, string>;
  /** A file that the process holds open; the process reports that on stderr. */
  appends?: string;
}

const noTraces = { mark: "INTAKE_RUN_FOLDER=/none", folder: "/none" };

/** A command in a folder of its own, with its output. */
async function execute(command: string, more: Record<string, string> = {}) {
  const folder = realpathSync(mkdtempSync(join(workshop.scripts, "intake-run-")));
  const mark = { INTAKE_RUN_FOLDER: folder };
  let printed = "";
  const exit = await executeCommand({
    argv: ["/bin/sh", "-c", command],
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", ...mark, ...more },
    traces: { mark: `INTAKE_RUN_FOLDER=${folder}`, folder },
    log: {
      async write(text) {
        printed += text;
      },
    },
    stop: new AbortController().signal,
  });
  return { ...exit, printed };
}

describe("what is no part of a run lives on", () => {
  test("one that holds the file open that a command writes to", async () => {
    const file = join(workshop.scripts, "shared.log");
    const other = bystander({ appends: file });
    await other.stderr.getReader().read();
    // Whether a command has redirected its output when the runner looks at it depends on timing.
    for (let round = 0; round < 25; round++) {
      const runs = Array.from({ length: 10 }, () => execute(`exec >> '${file}' 2>&1; echo line; sleep 0.05`));
      for (const run of await Promise.all(runs)) expect(run).toEqual({ code: 0, signal: null, printed: "" });
    }
    expect(other.signalCode).toBeNull();
    other.kill("SIGKILL");
    await other.exited;
    expect(readFileSync(file, "utf8")).toBe("line\n".repeat(250));
  });

  test("another run of this runner that appends to the same file", async () => {
    const folder = join(workshop.scripts, "pairs");
    mkdirSync(folder);
    const file = join(folder, "agent.log");
    for (let pair = 0; pair < 40; pair++) {
      const [waits, end] = [join(folder, `${pair} waits`), join(folder, `${pair} end`)];
      const until = `: > '${waits}'; while [ ! -e '${end}' ]; do sleep 0.01; done`;
      const long = execute(`exec >> '${file}' 2>&1; ${until}; echo long`);
      const short = `exec >> '${file}' 2>&1; while [ ! -e '${waits}' ]; do sleep 0.01; done; echo short`;
      expect(await execute(short)).toEqual({ code: 0, signal: null, printed: "" });
      writeFileSync(end, "");
      expect(await long).toEqual({ code: 0, signal: null, printed: "" });
    }
    expect(readFileSync(file, "utf8")).toBe("short\nlong\n".repeat(40));
  });

  test("somebody's program in the folder of a run, which the log names", async () => {
    const visited = join(workshop.scripts, "visited");
    await until(() => (existsSync(visited) && readFileSync(visited, "utf8").endsWith("\n")) || undefined, 150);
    const other = bystander({ cwd: readFileSync(visited, "utf8").trim(), env: { HOME: "/nonexistent" } });
    writeFileSync(join(workshop.scripts, "visitor is there"), "");
    expect(await ended("has a visitor")).toMatchObject({
      state: "succeeded",
      log: `left\n\nNot ended, because they may not be of this run: ${other.pid} (sleep)\n`,
    });
    expect(other.signalCode).toBeNull();
    other.kill("SIGKILL");
  });

  test("one with the mark of another run, in the folder of this one", async () => {
    const pid = join(workshop.scripts, "pid of another run's");
    const leaves = `(export INTAKE_RUN_FOLDER=/elsewhere; exec setsid sh -c 'echo $$ > "$FILE"; exec sleep 1000' > /dev/null 2>&1) &`;
    const { printed } = await execute(`${leaves} while [ ! -s "$FILE" ]; do sleep 0.05; done`, { FILE: pid });
    const other = Number(readFileSync(pid, "utf8"));
    expect(printed).toContain(`of this run: ${other} (s`);
    expect(process.kill(other, "SIGKILL")).toBe(true);
  });

  test("one that began before the command, whatever it was handed", async () => {
    const folder = mkdtempSync(join(workshop.scripts, "intake-run-"));
    const other = bystander({ cwd: folder });
    const traces = { ...noTraces, folder: realpathSync(folder) };
    const tree = () => treeOf(command.pid, traces);
    let command = bystander();
    // The clock of the process table has ticks of 10 ms.
    while ((tree().begun ?? 0) <= (treeOf(other.pid, traces).begun ?? 0)) {
      command.kill("SIGKILL");
      await command.exited;
      command = bystander();
    }
    await endTree(tree());
    expect(await command.exited).not.toBe(0);
    expect(other.signalCode).toBeNull();
    other.kill("SIGKILL");
  });

  test("one that has got the id of a command that has ended", async () => {
    const other = bystander();
    const tree = treeOf(other.pid, noTraces);
    await endTree({ ...tree, begun: (tree.begun ?? 0) - 1 });
    expect(other.signalCode).toBeNull();
    await endTree(tree);
    expect(await other.exited).not.toBe(0);
  });
});

describe("output", () => {
  test("binary becomes U+FFFD", async () => {
    const { state, log } = await ended("is binary");
    expect(state).toBe("succeeded");
    expect(log).toEndWith("a\ufffdb\ufffdc\u001b[31mred");
  });

  test("of 6 MiB the first 5 are kept", async () => {
    const { state, log, log_kept } = await ended("prints 6 MiB");
    expect({ state, log_kept }).toEqual({ state: "succeeded", log_kept: limits.runLogBytes });
    expect(log).toBe("0123456789abcde\n".repeat(limits.runLogBytes / 16).slice(0, log.length));
  });

  test("of 300 MB in one line as much, and the runner stays small", async () => {
    expect(await ended("prints 300 MB without a line end")).toMatchObject({
      state: "succeeded",
      log_kept: limits.runLogBytes,
    });
    const [, peak] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${runner.pid}/status`, "utf8")) ?? [];
    expect(Number(peak)).toBeLessThan(250_000);
  });

  test.each<Agent>(["closes its output", "reads nothing"])("%s: as good as any", async (agent) => {
    expect(await ended(agent)).toMatchObject({ state: "succeeded", log: "" });
  });
});

describe("folders", () => {
  test.each<[Agent, string]>([
    ["removes its folder", "gone\n"],
    ["makes folders that cannot be removed", ""],
  ])("%s", async (agent, log) => {
    expect(await ended(agent)).toMatchObject({ state: "succeeded", log });
  });
});

describe("result.json", () => {
  test.each<[Agent, string]>([
    ["result: not JSON", "result.json is not JSON."],
    ["result: a list", "result.json is not a JSON object."],
    ["result: wrong members", "/outcome: outcome must be one of succeeded, failed, cancelled."],
    ["result: wrong members", "/token: This field is not known."],
    ["result: too many credits", "/creditsUsed: creditsUsed must be from 0 to 1,000,000."],
    ["result: a link", "result.json is a link."],
    ["result: a folder", "result.json is not a file."],
    ["result: a pipe", "result.json is not a file."],
    ["result: huge", "result.json has more than 262,144 bytes."],
  ])("%s: %s", async (agent, summary) => {
    const run = await ended(agent);
    expect(run).toMatchObject({ state: "failed", summary: expect.stringContaining(summary), credits_used: 0 });
  });

  test("is looked for where INTAKE_RUN_RESULT says, and nowhere else", async () => {
    expect(await ended("result: elsewhere")).toMatchObject({ state: "succeeded", summary: null });
  });

  test("outweighs the status", async () => {
    expect(await ended("result: against its status")).toMatchObject({ state: "succeeded", summary: "Fine." });
  });
});

describe("cancelled", () => {
  test("a command that tidies up says what it has cost", async () => {
    const run = await ended("cancelled: tidies up");
    expect(run).toMatchObject({ state: "cancelled", credits_used: 4, lease_until: null });
  });

  test("one that ignores SIGTERM, and its daemon, are killed", async () => {
    expect(await ended("cancelled: ignores SIGTERM")).toMatchObject({ state: "cancelled", lease_until: null });
  });
});

test("without an answer a command is stopped before somebody else may have its run", async () => {
  expect(await lonely.runner.exited).toBe(1);
  expect(lonely.runner.text()).toContain(`run ${lonely.runId}: not completed: lost`);
  expect(existsSync(join(workshop.scripts, "stopped"))).toBe(true);
  const { now, run } = await lonely.ended;
  expect(run.attempt).toBe(1);
  expect(run.lease_until ?? 0).toBeGreaterThan(now);
  await cancelRun({ ctx: installation.ctx, input: { id: lonely.runId } });
});
