import { afterEach, beforeEach, expect, test } from "bun:test";
import { limits } from "../../openapi/schema/limits.ts";
import { cancelRun } from "../../server/agents/cancel-run.ts";
import { claimRun } from "../../server/agents/claim-run.ts";
import { completeRun } from "../../server/agents/complete-run.ts";
import { expireRuns } from "../../server/agents/expire-runs.ts";
import { grantCredits } from "../../server/agents/grant-credits.ts";
import { heartbeat } from "../../server/agents/heartbeat.ts";
import { type Installation, install } from "../support/installation.ts";
import { machine, queueRun, type RunProject, runOf, runProject } from "../support/runs.ts";

let installation: Installation;
let project: RunProject;
let now = 0;

beforeEach(async () => {
  installation = await install();
  now = Date.now();
  installation.ctx.now = () => now;
  project = await runProject(installation);
});
afterEach(() => installation.remove());

const ctx = () => installation.ctx;

async function claim() {
  const claimed = await claimRun({
    ctx: ctx(),
    input: { tokenId: project.runner.id, claimId: crypto.randomUUID(), runner: machine },
  });
  return claimed && { tokenId: project.runner.id, runId: claimed.run.id, leaseToken: claimed.leaseToken };
}

async function held() {
  await queueRun(installation, project);
  const lease = await claim();
  if (!lease) throw new Error("there was no run");
  return lease;
}

async function vanish() {
  now += (limits.leaseSeconds + 1) * 1_000;
  await expireRuns({ ctx: ctx() });
}

async function ledger() {
  return ctx().store.all<{ kind: string; amount: number; attempt: number | null }>(
    "select kind, amount, attempt from credit_entry order by id",
  );
}

test("a run ends after two hours whatever it does, and what it used by then is taken", async () => {
  await grantCredits({ ctx: ctx(), input: { amount: 10 } });
  const lease = await held();
  for (let seconds = 0; seconds < limits.runHours * 3_600; seconds += 80) {
    await heartbeat({ ctx: ctx(), input: { ...lease, creditsUsed: 3 } });
    now += 80_000;
    await expireRuns({ ctx: ctx() });
  }
  expect(await runOf(installation, lease.runId)).toMatchObject({ state: "expired", reason: "run_limit" });
  expect((await ledger()).slice(1)).toEqual([
    { kind: "hold", amount: -10, attempt: 1 },
    { kind: "release", amount: 10, attempt: 1 },
    { kind: "settle", amount: -3, attempt: 1 },
  ]);
  expect(heartbeat({ ctx: ctx(), input: lease })).rejects.toMatchObject({ code: "lease_lost" });
});

test("a result that comes late is paid for as far as there are credits, while its run waits for some", async () => {
  await grantCredits({ ctx: ctx(), input: { amount: 15 } });
  const lease = await held();
  await vanish();
  await grantCredits({ ctx: ctx(), input: { amount: -10 } });
  expect(await claim()).toBeUndefined();
  expect(await runOf(installation, lease.runId)).toMatchObject({ state: "waiting", reason: "no_credits", attempt: 2 });
  const run = await completeRun({ ctx: ctx(), input: { ...lease, outcome: "succeeded", creditsUsed: 9 } });
  expect(run.state).toBe("succeeded");
  expect((await ledger()).at(-1)).toEqual({ kind: "settle", amount: -5, attempt: 1 });
});

test("a queue that no credits are left for is looked at piece by piece", async () => {
  await grantCredits({ ctx: ctx(), input: { amount: 5 } });
  for (let i = 0; i < 60; i++) await queueRun(installation, project);
  const waiting = async () => (await ctx().store.all("select id from agent_run where state = 'waiting'")).length;
  expect(await claim()).toBeUndefined();
  expect(await waiting()).toBe(50);
  expect(await claim()).toBeUndefined();
  expect(await waiting()).toBe(60);
  await grantCredits({ ctx: ctx(), input: { amount: 25 } });
  expect(await waiting()).toBe(57);
  expect([await claim(), await claim(), await claim(), await claim()].filter(Boolean)).toHaveLength(3);
});

test("of runs that were queued in the same millisecond the first comes first, whatever its project's id", async () => {
  const projects = [project, await runProject(installation), await runProject(installation)];
  await ctx().store.write((tx) => tx.run("update api_token set reaches_all = 1 where id = $1", [project.runner.id]));
  for (const order of [projects, projects.toReversed()]) {
    const queued: string[] = [];
    for (const one of order) {
      await queueRun(installation, one);
      queued.push(one.projectId);
    }
    const claimed: string[] = [];
    for (const _ of order) claimed.push((await runOf(installation, (await claim())?.runId ?? "")).project_id);
    expect(claimed).toEqual(queued);
    await ctx().store.write((tx) => tx.run("delete from run_turn"));
  }
});

test("turns go on when the clock jumps back", async () => {
  const other = await runProject(installation);
  const both = { ...project.runner };
  await ctx().store.write((tx) => tx.run("update api_token set reaches_all = 1 where id = $1", [both.id]));
  for (let i = 0; i < 3; i++) {
    await queueRun(installation, project);
    await queueRun(installation, other);
  }
  const turns: string[] = [];
  for (let i = 0; i < 6; i++) {
    const lease = await claim();
    turns.push((await runOf(installation, lease?.runId ?? "")).project_id);
    now -= 1_000_000;
  }
  const [a, b] = [project.projectId, other.projectId];
  expect(turns).toEqual([a, b, a, b, a, b]);
});

test("a second attempt begins with nothing used", async () => {
  await grantCredits({ ctx: ctx(), input: { amount: 20 } });
  const lease = await held();
  await heartbeat({ ctx: ctx(), input: { ...lease, creditsUsed: 9 } });
  await vanish();
  const again = await claim();
  if (!again) throw new Error("it was not queued again");
  expect(await heartbeat({ ctx: ctx(), input: { ...again, creditsUsed: 1 } })).toMatchObject({ creditsLeft: 9 });
});

test("who is told to stop and never answers is paid for what it has told", async () => {
  await grantCredits({ ctx: ctx(), input: { amount: 20 } });
  const lease = await held();
  await heartbeat({ ctx: ctx(), input: { ...lease, creditsUsed: 4 } });
  await cancelRun({ ctx: ctx(), input: { id: lease.runId } });
  await vanish();
  expect(await runOf(installation, lease.runId)).toMatchObject({ state: "cancelled", lease_until: null });
  expect((await ledger()).slice(-2)).toEqual([
    { kind: "release", amount: 10, attempt: 1 },
    { kind: "settle", amount: -4, attempt: 1 },
  ]);
});
