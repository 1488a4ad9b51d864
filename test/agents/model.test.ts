import { expect, test } from "bun:test";
import fc from "fast-check";
import { limits } from "../../openapi/schema/limits.ts";
import { type RunOutcome, runOutcomes } from "../../openapi/schema/runner.ts";
import type { Context } from "../../server/access/context.ts";
import { createToken } from "../../server/access/create-token.ts";
import { cancelRun } from "../../server/agents/cancel-run.ts";
import { claimRun } from "../../server/agents/claim-run.ts";
import { completeRun } from "../../server/agents/complete-run.ts";
import { grantCredits } from "../../server/agents/grant-credits.ts";
import { heartbeat } from "../../server/agents/heartbeat.ts";
import { queueRunStep } from "../../server/agents/queue-run.ts";
import type { RunRow } from "../../server/agents/run.ts";
import { sweepRuns } from "../../server/agents/sweep-runs.ts";
import { bindRepository } from "../../server/boards/repositories.ts";
import { createTicket } from "../../server/tickets/create.ts";
import { type Installation, install } from "../support/installation.ts";

/** One thing that may happen, in any order. Numbers choose among what there is. */
type Act =
  | { act: "queue"; ticket: number }
  | { act: "claim"; runner: number; claim: number }
  | { act: "heartbeat"; lease: number; used: number }
  | { act: "complete"; lease: number; outcome: RunOutcome; used: number }
  | { act: "cancel"; run: number }
  | { act: "grant"; amount: number }
  | { act: "wait"; seconds: number }
  | { act: "back"; seconds: number };

const number = fc.nat({ max: 7 });
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ act: fc.constant("queue" as const), ticket: number }),
  fc.record({ act: fc.constant("claim" as const), runner: fc.nat({ max: 2 }), claim: number }),
  fc.record({ act: fc.constant("claim" as const), runner: fc.nat({ max: 2 }), claim: number }),
  fc.record({ act: fc.constant("heartbeat" as const), lease: number, used: fc.nat({ max: 15 }) }),
  fc.record({
    act: fc.constant("complete" as const),
    lease: number,
    outcome: fc.constantFrom(...runOutcomes),
    used: fc.nat({ max: 15 }),
  }),
  fc.record({ act: fc.constant("cancel" as const), run: number }),
  fc.record({ act: fc.constant("grant" as const), amount: fc.constantFrom(5, 10, 40, -5) }),
  fc.record({ act: fc.constant("wait" as const), seconds: fc.constantFrom(1, 60, 95, 7_300, 90_000) }),
  fc.record({ act: fc.constant("back" as const), seconds: fc.constantFrom(1, 100) }),
);

interface Lease {
  runId: string;
  leaseToken: string;
  tokenId: string;
}

class World {
  readonly tickets: string[] = [];
  readonly leases: Lease[] = [];
  readonly runners: string[] = [];
  /** The newest lease of each run. */
  readonly newest = new Map<string, Lease>();
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
        const runner = { name: `machine ${act.runner}`, version: "1", labels: [] };
        const claimed = await claimRun({ ctx, input: { tokenId, claimId: `claim ${act.claim}`, runner } });
        if (!claimed) return;
        const lease = { runId: claimed.run.id, leaseToken: claimed.leaseToken, tokenId };
        this.leases.push(lease);
        this.newest.set(lease.runId, lease);
        return;
      }
      case "heartbeat": {
        const lease = this.leases.at(-1 - act.lease);
        if (!lease) return;
        const beat = heartbeat({ ctx, input: { ...lease, creditsUsed: act.used } });
        await this.onlyTheNewest(lease, beat);
        return;
      }
      case "complete": {
        const lease = this.leases.at(-1 - act.lease);
        if (!lease) return;
        const input = { ...lease, outcome: act.outcome, creditsUsed: act.used };
        const first = await this.onlyTheNewest(lease, completeRun({ ctx, input }));
        // The same call again, and one that says something else: the first answer stands.
        if (!first) return;
        expect(await completeRun({ ctx, input })).toEqual(first);
        expect(await completeRun({ ctx, input: { ...input, creditsUsed: 3, outcome: "failed" } })).toEqual(first);
        return;
      }
      case "cancel": {
        const runs = await this.runs();
        const run = runs[act.run % Math.max(1, runs.length)];
        if (run) await cancelRun({ ctx, input: { id: run.id } }).catch(refused("conflict"));
        return;
      }
      case "grant":
        await grantCredits({ ctx, input: { amount: act.amount } }).catch(refused("conflict"));
        return;
      case "wait":
        this.now += act.seconds * 1_000;
        await sweepRuns({ ctx });
        return;
      case "back":
        this.now -= act.seconds * 1_000;
        await sweepRuns({ ctx });
    }
  }

  /** Never two holders: a lease that another one followed is refused, whatever is asked. */
  async onlyTheNewest<T>(lease: Lease, call: Promise<T>): Promise<T | undefined> {
    const result = await call.catch(refused("lease_lost"));
    if (this.newest.get(lease.runId) !== lease) expect(result).toBeUndefined();
    return result ?? undefined;
  }

  runs(): Promise<RunRow[]> {
    return this.ctx.store.all<RunRow>("select * from agent_run order by id");
  }

  /** What holds after every step. */
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
}, 120_000);

async function empty({ ctx }: Installation) {
  await ctx.store.write(function* (tx) {
    for (const table of ["agent_run", "credit_entry", "runner", "ticket", "repository"])
      yield* tx.run(`delete from ${table}`);
    yield* tx.run("update organisation set credits = null");
    yield* tx.run("delete from api_token where name in ('one', 'two', 'three')");
  });
}
