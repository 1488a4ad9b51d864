import { expect, test } from "bun:test";
import fc from "fast-check";
import { limits } from "../../openapi/schema/limits.ts";
import { type RunOutcome, runOutcomes } from "../../openapi/schema/runner.ts";
import { cancelRun } from "../../server/agents/cancel-run.ts";
import { claimRun } from "../../server/agents/claim-run.ts";
import { completeRun } from "../../server/agents/complete-run.ts";
import { expireRuns } from "../../server/agents/expire-runs.ts";
import { grantCredits } from "../../server/agents/grant-credits.ts";
import { heartbeat } from "../../server/agents/heartbeat.ts";
import { queueRunStep } from "../../server/agents/queue-run.ts";
import { isHeld, isLive, type RunRow } from "../../server/agents/run.ts";
import { bindRepository } from "../../server/boards/repositories.ts";
import type { Context } from "../../server/core/context.ts";
import { createToken } from "../../server/credentials/create-token.ts";
import { createTicket } from "../../server/tickets/create.ts";
import { type Installation, install } from "../support/installation.ts";

/** One step of the model; steps may come in any order. Numbers choose among the runs and leases that exist. */
type Act =
  | { act: "queue"; ticket: number }
  | { act: "claim"; runner: number; claim: number }
  | { act: "heartbeat"; lease: number; used: number }
  | { act: "complete"; lease: number; outcome: RunOutcome; used: number }
  | { act: "cancel"; run: number }
  | { act: "grant"; amount: number }
  | { act: "wait"; seconds: number }
  /** Without the check for expired leases that the server runs each second. */
  | { act: "stall"; seconds: number }
  | { act: "back"; seconds: number };

/** Usually long enough for a lease to expire. */
const seconds = fc.constantFrom(1, 60, 95, 95, 95, 7_300, 90_000);
/** Usually the newest one. */
const lease = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 5 }) });
const used = fc.constantFrom(0, 3, 10, 15);
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ act: fc.constant("queue" as const), ticket: fc.nat({ max: 3 }) }) },
  {
    weight: 5,
    arbitrary: fc.record({ act: fc.constant("claim" as const), runner: fc.nat({ max: 2 }), claim: fc.nat({ max: 2 }) }),
  },
  { weight: 3, arbitrary: fc.record({ act: fc.constant("heartbeat" as const), lease, used }) },
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constant("complete" as const),
      lease,
      outcome: fc.constantFrom(...runOutcomes),
      used,
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("cancel" as const), run: fc.nat({ max: 7 }) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("grant" as const), amount: fc.constantFrom(5, 10, 40, -10) }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant("wait" as const), seconds }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("stall" as const), seconds }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("back" as const), seconds: fc.constantFrom(1, 100) }) },
);

interface Lease {
  runId: string;
  leaseToken: string;
  tokenId: string;
  attempt: number;
  held: number;
  /** The highest use of credits that a heartbeat has reported. */
  used: number;
}

/** Credits that a run of the only repository holds. */
const perRun = 10;

class World {
  readonly tickets: string[] = [];
  readonly leases: Lease[] = [];
  readonly runners: string[] = [];
  /** The newest lease of each run. */
  readonly newest = new Map<string, Lease>();
  /** Credits that have to be taken for each attempt of a run. */
  readonly taken = new Map<string, number>();
  now = 1_800_000_000_000;
  ctx: Context;

  constructor(readonly installation: Installation) {
    this.ctx = { ...installation.ctx, now: () => this.now };
  }

  async prepare() {
    const { made } = this.installation;
    await bindRepository({
      ctx: this.ctx,
      input: { projectId: made.project.id, url: "https://git.example.org/team/app" },
    });
    for (const name of ["one", "two", "three"]) {
      const input = { name, reach: "all" as const, scopes: ["runs:execute" as const] };
      this.runners.push((await createToken({ ctx: this.ctx, input })).id);
    }
    for (let i = 0; i < 4; i++) {
      const ctx = { ...this.ctx, actor: { kind: "token", id: made.apiToken.id, name: "" } as const };
      const created = await createTicket({
        ctx,
        input: { tokenId: made.apiToken.id, ticket: { title: `Ticket ${i}`, projectId: made.project.id } },
      });
      if (created.replay === undefined) this.tickets.push(created.ticketId);
    }
  }

  async do(act: Act): Promise<void> {
    const { ctx } = this;
    switch (act.act) {
      case "queue": {
        const { made } = this.installation;
        const id = this.tickets[act.ticket % this.tickets.length] ?? "";
        const run = { id: ctx.newId(), now: this.now };
        await ctx.store.write((tx) =>
          queueRunStep(tx, run, { id, projectId: made.project.id, agentId: made.agent.id, repositoryId: null }),
        );
        return;
      }
      case "claim": {
        const tokenId = this.runners[act.runner] ?? "";
        const claimId = `claim ${act.claim}`;
        const wanted = await this.nextFor(tokenId, claimId);
        const runner = { name: `machine ${act.runner}`, version: "1", labels: [] };
        const claimed = await claimRun({ ctx, input: { tokenId, claimId, runner } });
        expect(claimed?.run.id).toBe(wanted?.id as never);
        if (!claimed || !wanted) return;
        const { leaseToken, creditsHeld } = claimed;
        // A run that is claimed again continues with the credits reported so far.
        const before = isHeld(wanted.state) ? this.newest.get(wanted.id) : undefined;
        const lease = {
          runId: wanted.id,
          leaseToken,
          tokenId,
          attempt: wanted.attempt,
          held: creditsHeld ?? 0,
          used: before?.used ?? 0,
        };
        this.leases.push(lease);
        this.newest.set(lease.runId, lease);
        return;
      }
      case "heartbeat": {
        const lease = this.leases.at(-1 - act.lease);
        if (!lease) return;
        const run = await this.run(lease.runId);
        const beat = await this.onlyTheNewest(lease, heartbeat({ ctx, input: { ...lease, creditsUsed: act.used } }));
        const alive = run.lease_until !== null && (run.state === "cancelled" || run.lease_until > this.now);
        expect(beat !== undefined).toBe(alive && this.newest.get(lease.runId) === lease);
        if (!beat) return;
        lease.used = Math.max(lease.used, act.used);
        expect(beat).toEqual({
          cancelRequested: run.state === "cancelled",
          creditsLeft: lease.held === 0 ? null : Math.max(0, lease.held - lease.used),
        });
        const renewed = run.state === "cancelled" ? run.lease_until : this.now + limits.leaseSeconds * 1_000;
        expect((await this.run(run.id)).lease_until).toBe(renewed);
        return;
      }
      case "complete": {
        const lease = this.leases.at(-1 - act.lease);
        if (!lease) return;
        const input = { ...lease, outcome: act.outcome, creditsUsed: act.used };
        const [run, balance] = [await this.run(lease.runId), (await this.balance()) ?? 0];
        const first = await this.onlyTheNewest(lease, completeRun({ ctx, input }));
        // Sends the same completion again, and a different one: the first answer is repeated.
        expect(first !== undefined).toBe(this.newest.get(lease.runId) === lease);
        if (!first) return;
        if (run.lease_until !== null) this.take(lease, Math.min(act.used, lease.held));
        else if (isLive(run.state) || run.reason === "runner_vanished")
          this.take(lease, Math.min(act.used, lease.held, balance));
        if (isLive(run.state) || run.reason === "runner_vanished") expect(first.state).toBe(act.outcome);
        else expect(first.state).toBe(run.state);
        expect(await completeRun({ ctx, input })).toEqual(first);
        expect(await completeRun({ ctx, input: { ...input, creditsUsed: 3, outcome: "failed" } })).toEqual(first);
        return;
      }
      case "cancel": {
        const runs = await this.runs();
        const run = runs[act.run % Math.max(1, runs.length)];
        if (!run) return;
        const done = await cancelRun({ ctx, input: { id: run.id } }).catch(refused("conflict"));
        expect(done !== undefined).toBe(isLive(run.state));
        return;
      }
      case "grant": {
        const enough = ((await this.balance()) ?? 0) + act.amount >= 0;
        const granted = await grantCredits({ ctx, input: { amount: act.amount } }).catch(refused("conflict"));
        expect(granted !== undefined).toBe(enough);
        return;
      }
      case "wait":
        this.now += act.seconds * 1_000;
        await this.sweep();
        return;
      case "stall":
        this.now += act.seconds * 1_000;
        return;
      case "back":
        this.now -= act.seconds * 1_000;
        await this.sweep();
    }
  }

  /** The run that the next claim has to return. */
  async nextFor(tokenId: string, claimId: string): Promise<RunRow | undefined> {
    const runs = await this.runs();
    const again = runs.find(
      (run) =>
        isHeld(run.state) &&
        run.runner_token_id === tokenId &&
        run.claim_id === claimId &&
        (run.lease_until ?? 0) > this.now,
    );
    if (again) return again;
    const balance = await this.balance();
    if (balance !== null && balance < perRun) return undefined;
    const [first] = runs
      .filter(({ state }) => state === "queued")
      .sort((a, b) => a.queued_at - b.queued_at || (a.id < b.id ? -1 : 1));
    return first;
  }

  /** Expires exactly what is over, and takes the credits that were used. */
  async sweep() {
    const before = await this.runs();
    await expireRuns({ ctx: this.ctx });
    for (const run of before) {
      const after = await this.run(run.id);
      const lease = this.newest.get(run.id);
      if (run.lease_until !== null && run.lease_until <= this.now) {
        if (run.state === "cancelled") this.take(lease, Math.min(lease?.used ?? 0, lease?.held ?? 0));
        const again = run.attempt < limits.runAttempts;
        if (isHeld(run.state) && again) expect([after.state, after.attempt]).toEqual(["queued", run.attempt + 1]);
        if (isHeld(run.state) && !again) expect([after.state, after.reason]).toEqual(["failed", "runner_vanished"]);
        expect(after.lease_until).toBeNull();
      } else if (isLive(run.state) && run.deadline_at !== null && run.deadline_at <= this.now) {
        if (isHeld(run.state)) this.take(lease, Math.min(lease?.used ?? 0, lease?.held ?? 0));
        expect(after.state).toBe("expired");
      } else if (run.state !== "waiting") {
        expect(after.state).toBe(run.state);
        expect(after.lease_until).toBe(run.lease_until);
      }
    }
  }

  take(lease: Lease | undefined, amount: number) {
    const attempt = `${lease?.runId} ${lease?.attempt}`;
    if (amount > 0) this.taken.set(attempt, (this.taken.get(attempt) ?? 0) + amount);
  }

  async balance(): Promise<number | null> {
    return (await this.ctx.store.one<{ credits: number | null }>("select credits from organisation"))?.credits ?? null;
  }

  async run(id: string): Promise<RunRow> {
    const run = (await this.runs()).find((one) => one.id === id);
    if (!run) throw new Error(`there is no run ${id}`);
    return run;
  }

  /** A run never has two holders: every call with a superseded lease is refused. */
  async onlyTheNewest<T>(lease: Lease, call: Promise<T>): Promise<T | undefined> {
    const result = await call.catch(refused("lease_lost"));
    if (this.newest.get(lease.runId) !== lease) expect(result).toBeUndefined();
    return result ?? undefined;
  }

  runs(): Promise<RunRow[]> {
    return this.ctx.store.all<RunRow>("select * from agent_run order by id");
  }

  /** The invariants that hold after every step. */
  async check() {
    const { store } = this.ctx;
    const [runs, ledger, organisation] = await Promise.all([
      this.runs(),
      store.all<{ kind: string; amount: number; balance: number; run_id: string | null; attempt: number | null }>(
        "select kind, amount, balance, run_id, attempt from credit_entry order by id",
      ),
      store.one<{ credits: number | null }>("select credits from organisation"),
    ]);
    let sum = 0;
    for (const { amount, balance } of ledger) {
      sum += amount;
      expect(balance).toBe(sum);
      expect(sum).toBeGreaterThanOrEqual(0);
    }
    if (ledger.length > 0) expect(organisation?.credits).toBe(sum);
    const settled = ledger.filter(({ kind }) => kind === "settle");
    expect(Object.fromEntries(settled.map(({ run_id, attempt, amount }) => [`${run_id} ${attempt}`, -amount]))).toEqual(
      Object.fromEntries(this.taken),
    );
    const open = runs.filter(({ lease_until }) => lease_until !== null);
    const held = ledger.reduce((total, { kind, amount }) => total - (/hold|release/.test(kind) ? amount : 0), 0);
    expect(held).toBe(open.reduce((total, { credits_held }) => total + credits_held, 0));

    const live = runs.filter(({ state }) => ["queued", "waiting", "claimed", "running"].includes(state));
    expect(new Set(live.map(({ ticket_id }) => ticket_id)).size).toBe(live.length);
    for (const run of runs) {
      const claimed = run.state === "claimed" || run.state === "running";
      if (claimed) expect(run.lease_until).not.toBeNull();
      expect(run.attempt).toBeLessThanOrEqual(limits.runAttempts);
      expect(run.ended_at === null).toBe(live.includes(run));
      expect(run.deadline_at === null).toBe(!live.includes(run));
      if (run.state === "waiting") expect(run.reason).not.toBeNull();
    }
  }
}

function refused(code: string) {
  return (error: { code?: string }) => {
    expect(error.code).toBe(code);
    return undefined;
  };
}

test("whatever happens in whatever order: one live run of a ticket, one holder of a run, and credits that add up", async () => {
  const installation = await install();
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 40 }), async (acts) => {
        await empty(installation);
        const world = new World(installation);
        await world.prepare();
        for (const one of acts) {
          await world.do(one);
          await world.check();
        }
      }),
      { numRuns: 300 },
    );
  } finally {
    await installation.remove();
  }
}, 180_000);

async function empty({ ctx }: Installation) {
  await ctx.store.write(function* (tx) {
    for (const table of ["agent_run", "credit_entry", "runner", "ticket", "repository"])
      yield* tx.run(`delete from ${table}`);
    yield* tx.run("update organisation set credits = null");
    yield* tx.run("delete from api_token where name in ('one', 'two', 'three')");
  });
}
