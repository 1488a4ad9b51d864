import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { grantCredits } from "../../server/agents/grant-credits.ts";
import type { RunRow } from "../../server/agents/run.ts";
import { showCredits } from "../../server/agents/show-credits.ts";
import { serve } from "../support/binary.ts";
import { killRounds } from "../support/databases.ts";
import { type Installation, install } from "../support/installation.ts";
import { queueRun, type RunProject, runProject } from "../support/runs.ts";
import { until } from "../support/until.ts";
import type { Accepted } from "./accepted.ts";

const rounds = killRounds(22);
const processes = 5;
const runnersEach = 10;
const runsPerRound = 50;
const granted = 1_000_000;
const perRun = 10;

let installation: Installation;
let project: RunProject;
beforeAll(async () => {
  installation = await install();
  project = await runProject(installation);
  await grantCredits({ ctx: installation.ctx, input: { amount: granted } });
});
afterAll(async () => {
  for (const { process } of runners) process.kill("SIGKILL");
  await Promise.all(runners.map(({ process }) => process.exited));
  await installation.remove();
});

interface Runners {
  name: string;
  process: Bun.Subprocess;
}

interface Stalled {
  runner: Runners;
  /** The runs that it had, and others are given. */
  lost: string[];
}

const runners: Runners[] = [];
const records: string[] = [];

test(`50 runners, ${rounds} rounds of kill -9 and stalls of runners and of kill -9 of the server: no run is lost, none has two holders, credits are exact`, async () => {
  const urlFile = join(installation.folder, "url");
  let stalled: Stalled | undefined;
  for (let round = 0; round < rounds; round++) {
    const server = await serve(installation.folder, ["--rate-limits", "off"]);
    writeFileSync(`${urlFile}.new`, server.url);
    renameSync(`${urlFile}.new`, urlFile);
    while (runners.length < processes) startRunners(`machine ${records.length}`, urlFile);
    if (stalled) await resume(stalled);
    const before = await countOf("succeeded");
    await Promise.all(Array.from({ length: runsPerRound }, () => queueRun(installation, project)));
    await until(async () => ((await countOf("succeeded")) >= before + runsPerRound / 2 ? true : undefined), 90);

    const [victim] = runners.splice(Math.floor(Math.random() * processes), 1);
    const runner = runners[Math.floor(Math.random() * runners.length)];
    if (!victim || !runner) throw new Error("there is nobody to kill");
    runner.process.kill("SIGSTOP");
    const kills = [() => kill(victim.process), () => kill(server.process)];
    for (const one of round % 2 === 0 ? kills : kills.reverse()) await one();
    await endLeases(victim.name);
    stalled = { runner, lost: await endLeases(runner.name) };
  }
  const server = await serve(installation.folder, ["--rate-limits", "off"]);
  writeFileSync(urlFile, server.url);
  if (stalled) await resume(stalled);
  await until(async () => ((await countOf("queued", "claimed", "running")) === 0 ? true : undefined), 150);
  await server.stop();

  const runs = await installation.ctx.store.all<RunRow>("select * from agent_run");
  const accepted = records.flatMap((record) => linesOf(record));
  expectNoneLost(runs, accepted);
  expectOneHolder(accepted);
  await expectExactCredits(runs, accepted);
}, 600_000);

function startRunners(name: string, urlFile: string) {
  const record = join(installation.folder, `${records.length}.record`);
  writeFileSync(record, "");
  records.push(record);
  const script = join(import.meta.dir, "runner-process.ts");
  const words = [script, name, String(runnersEach), project.runner.token, urlFile, record];
  runners.push({ name, process: Bun.spawn([process.execPath, ...words], { stdout: "ignore", stderr: "inherit" }) });
}

/** Goes on just as somebody else has one of its runs, if it had any that may be tried again. */
async function resume({ runner, lost }: Stalled) {
  const { store } = installation.ctx;
  await until(async () => {
    for (const id of lost) {
      const again = await store.one(
        "select id from agent_run where id = $1 and attempt = 2 and state not in ('queued', 'claimed')",
        [id],
      );
      if (again) return true;
    }
    return lost.length === 0 ? true : undefined;
  });
  runner.process.kill("SIGCONT");
}

/** Now rather than in 90 s; the runs that may be tried again. */
async function endLeases(name: string): Promise<string[]> {
  return installation.ctx.store.write(function* (tx) {
    const ended = yield* tx.all<{ id: string; attempt: number }>(
      "update agent_run set lease_until = 1 where runner_name = $1 and lease_until is not null returning id, attempt",
      [name],
    );
    return ended.filter(({ attempt }) => attempt === 1).map(({ id }) => id);
  });
}

async function kill(process: Bun.Subprocess) {
  process.kill("SIGKILL");
  await process.exited;
}

async function countOf(...states: string[]): Promise<number> {
  let count = 0;
  for (const state of states) {
    const row = await installation.ctx.store.one<{ n: number }>(
      "select cast(count(*) as integer) as n from agent_run where state = $1",
      [state],
    );
    count += row?.n ?? 0;
  }
  return count;
}

/** A process that was killed may have written half of its last line. */
function linesOf(record: string): Accepted[] {
  const lines = readFileSync(record, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Accepted);
}

function expectNoneLost(runs: readonly RunRow[], accepted: readonly Accepted[]) {
  expect(runs).toHaveLength(rounds * runsPerRound);
  // A run has failed only when its runner vanished twice.
  const strange = runs.filter(
    ({ state, reason, attempt }) => state !== "succeeded" && !(reason === "runner_vanished" && attempt === 2),
  );
  expect(strange).toEqual([]);
  const byId = new Map(runs.map((run) => [run.id, run]));
  for (const { run, lease, used = -1 } of accepted.filter(({ call }) => call === "complete")) {
    expect(byId.get(run)).toMatchObject({ state: "succeeded", summary: lease, credits_used: used });
  }
}

/** Once another runner has claimed the run, nothing that the former one sends is accepted. */
function expectOneHolder(accepted: readonly Accepted[]) {
  const byRun = Map.groupBy(accepted, ({ run }) => run);
  let again = 0;
  for (const calls of byRun.values()) {
    // Not by when they were answered: a runner that is stopped just then writes its claim down after the next one's.
    const claims = calls
      .filter(({ call }) => call === "claim")
      .sort((a, b) => (a.attempt ?? 0) - (b.attempt ?? 0) || a.answered - b.answered);
    again += claims.length - 1;
    for (const [i, { lease }] of claims.entries()) {
      const next = claims[i + 1];
      const late = calls.filter((one) => one.lease === lease && next !== undefined && one.sent > next.answered);
      expect(late).toEqual([]);
    }
    expect(calls.filter(({ call }) => call === "complete").length).toBeLessThanOrEqual(1);
  }
  // Otherwise nothing was shown.
  expect(again).toBeGreaterThan(rounds / 2);
}

async function expectExactCredits(runs: readonly RunRow[], accepted: readonly Accepted[]) {
  const ledger = await installation.ctx.store.all<{ kind: string; amount: number; balance: number; run_id: string }>(
    "select kind, amount, balance, run_id from credit_entry order by id",
  );
  const sum = (kind: string) => ledger.reduce((total, entry) => total + (entry.kind === kind ? entry.amount : 0), 0);
  const taken = runs.reduce((total, run) => {
    return total + (run.state === "succeeded" ? Math.min(perRun, run.credits_used) : 0);
  }, 0);
  expect(taken).toBeGreaterThan(accepted.length / 5);
  expect(await showCredits({ ctx: installation.ctx })).toEqual({ balance: granted - taken, held: 0, used: taken });
  expect([sum("hold") + sum("release"), -sum("settle"), ledger.at(-1)?.balance]).toEqual([0, taken, granted - taken]);
}
