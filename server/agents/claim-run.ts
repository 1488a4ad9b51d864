import { limits } from "../../openapi/schema/limits.ts";
import type { ClaimedRun } from "../../openapi/schema/runner.ts";
import { type ColumnOf, presentFields, selectFields, type TicketRow } from "../activity/ticket-row.ts";
import { type Context, Refusal } from "../core/context.ts";
import { hashOf, newSecret } from "../core/credential.ts";
import { publicUrlStep } from "../core/settings.ts";
import type { Reader, Row, Step, Tx } from "../core/store.ts";
import { balanceStep, creditStep } from "./credits.ts";
import { executorStep, reachSql } from "./executor.ts";
import { publicRun } from "./public-run.ts";
import { type RunnerInfo, recordRunnerStep } from "./record-runner.ts";
import type { RunRow } from "./run.ts";
import { runChanged } from "./run-changed.ts";
import { runLimits } from "./run-limits.ts";
import { changeStep, transitionStep } from "./transition.ts";

interface ClaimInput {
  tokenId: string;
  /** Id of the claim, chosen by the runner. A repeat with the same id gets the same run while its lease lasts. */
  claimId: string;
  runner: RunnerInfo;
  /** Whether the runner has hung up: a run claimed for it would wait until its lease ends. */
  gone?: () => boolean;
}

/** How many runs one claim may set to `waiting` for too few credits: this bounds the transaction. */
const waitingMax = 50;

/**
 * Leases the next queued run to a runner; undefined when there is none. Projects that the token may access take turns:
 * the one whose last claim is longest ago comes first, with its oldest run. The run's credits are held in the same
 * transaction; a run for which there are too few is set to `waiting` and the next one is tried.
 */
export async function claimRun({ ctx, input }: { ctx: Context; input: ClaimInput }): Promise<ClaimedRun | undefined> {
  const leaseToken = `lease_${newSecret()}`;
  const now = ctx.now();
  const moment = { now, newId: ctx.newId };
  const claimed = await ctx.store.write(function* (tx) {
    // Asked whenever the write runs: it may have waited for others, or run again and find what was queued meanwhile.
    if (input.gone?.()) return { claimed: undefined, waiting: [] };
    yield* executorStep(tx, input.tokenId);
    yield* recordRunnerStep(tx, input.tokenId, input.runner, now);
    const again = yield* tx.one<RunRow>(
      `select * from agent_run where runner_token_id = $1 and claim_id = $2 and state in ('claimed', 'running')
         and lease_until > $3 limit 1`,
      [input.tokenId, input.claimId, now],
    );
    if (again) {
      // The runner repeats its claim, so the first answer was lost. It gets a new lease token; the first one becomes invalid.
      const run = yield* changeStep(tx, again, { lease: hashOf(leaseToken) });
      return { claimed: yield* claimedStep(tx, ctx, run, leaseToken), waiting: [] };
    }
    const waiting: string[] = [];
    for (;;) {
      // After so many runs without credits the claim ends empty, so that other writes are not kept waiting by a long queue.
      const run = waiting.length < waitingMax ? yield* nextStep(tx, input.tokenId) : undefined;
      if (!run) return { claimed: undefined, waiting };
      const held = yield* holdStep(tx, run, moment);
      if (held === undefined) {
        const change = { state: "waiting", reason: "no_credits" } as const;
        yield* transitionStep(tx, run, { change, activity: "run_waiting", detail: { reason: "no_credits" } }, moment);
        waiting.push(run.id);
        continue;
      }
      yield* tx.run(
        `insert into run_turn (project_id, turn) values ($1, (select coalesce(max(turn), 0) + 1 from run_turn))
         on conflict (project_id) do update set turn = excluded.turn`,
        [run.project_id],
      );
      const leased = yield* transitionStep(
        tx,
        run,
        {
          change: {
            state: "claimed",
            reason: null,
            lease: hashOf(leaseToken),
            lease_until: now + runLimits.leaseMilliseconds,
            claim_id: input.claimId,
            runner_name: input.runner.name,
            runner_token_id: input.tokenId,
            claimed_at: now,
            heartbeat_at: now,
            deadline_at: now + runLimits.runMilliseconds,
            progress: null,
            credits_held: held,
            credits_used: 0,
            log_length: 0,
          },
          activity: "run_claimed",
          detail: { runner: input.runner.name, attempt: run.attempt, creditsHeld: held },
        },
        moment,
      );
      return { claimed: yield* claimedStep(tx, ctx, leased, leaseToken), waiting };
    }
  });
  for (const id of claimed.waiting) await runChanged(ctx, id);
  if (claimed.claimed) await runChanged(ctx, claimed.claimed.run.id);
  return claimed.claimed;
}

/** Whether a run is queued that this token may claim. Only reads, so it is cheaper than a claim. */
export async function isRunQueued(store: Reader, tokenId: string): Promise<boolean> {
  const found = await store.one(
    `select p.id from project p where p.archived_at is null and p.deleted_at is null and ${reachSql("p.id", "$1")}
       and exists (select 1 from agent_run r where r.project_id = p.id and r.state = 'queued') limit 1`,
    [tokenId],
  );
  return found !== undefined;
}

/** The run whose turn it is. Looks for queued runs in each project by index, so that millions of ended runs cost nothing. */
function* nextStep(tx: Tx, tokenId: string): Step<RunRow | undefined> {
  const project = yield* tx.one<Row & { id: string }>(
    `select p.id from project p left join run_turn u on u.project_id = p.id
     where p.archived_at is null and p.deleted_at is null and ${reachSql("p.id", "$1")}
       and exists (select 1 from agent_run r where r.project_id = p.id and r.state = 'queued')
     order by coalesce(u.turn, 0),
       (select min(r.queued_at) from agent_run r where r.project_id = p.id and r.state = 'queued'),
       (select r.id from agent_run r where r.project_id = p.id and r.state = 'queued'
        order by r.queued_at, r.id limit 1)
     limit 1`,
    [tokenId],
  );
  if (!project) return undefined;
  return yield* tx.one<RunRow>(
    "select * from agent_run where project_id in ($1) and state = 'queued' order by queued_at, id limit 1",
    [project.id],
  );
}

/** Holds the credits of a run and returns how many: 0 while credits are not limited, undefined when there are too few. */
function* holdStep(
  tx: Tx,
  run: RunRow,
  { now, newId }: { now: number; newId: () => string },
): Step<number | undefined> {
  if ((yield* balanceStep(tx)) === null) return 0;
  const repository = yield* tx.one<{ run_credits: number }>("select run_credits from repository where id in ($1)", [
    run.repository_id,
  ]);
  const wanted = repository?.run_credits ?? 0;
  if (wanted === 0) return 0;
  const held = yield* creditStep(tx, {
    id: newId(),
    at: now,
    kind: "hold",
    amount: -wanted,
    runId: run.id,
    attempt: run.attempt,
    actorName: "Agent",
  });
  return held ? wanted : undefined;
}

/** Fields of a ticket that its run is told beside the text. */
const runFields = ["priority", "startsAt", "dueAt"] as const;

function* claimedStep(tx: Tx, ctx: Context, run: RunRow, leaseToken: string): Step<ClaimedRun> {
  const ticket = yield* tx.one<Pick<TicketRow, "id" | "title" | "description" | ColumnOf<(typeof runFields)[number]>>>(
    `select t.id, t.title, t.description, ${selectFields(runFields)} from ticket t where t.id in ($1)`,
    [run.ticket_id],
  );
  if (!ticket) throw new Refusal("not_found");
  const repository = yield* tx.one<{ id: string; url: string; base_branch: string | null }>(
    "select id, url, base_branch from repository where id in ($1)",
    [run.repository_id],
  );
  const publicUrl = yield* publicUrlStep(tx, ctx.publicUrl);
  return {
    run: publicRun(run),
    ticket: {
      id: ticket.id,
      title: ticket.title,
      description: ticket.description,
      url: `${publicUrl}/cards/${ticket.id}`,
      ...presentFields(ticket, runFields),
    },
    ...(repository
      ? { repository: { id: repository.id, url: repository.url, baseBranch: repository.base_branch } }
      : {}),
    leaseToken,
    heartbeatSeconds: limits.heartbeatSeconds,
    deadlineAt: new Date(run.deadline_at ?? 0).toISOString(),
    creditsHeld: run.credits_held === 0 ? null : run.credits_held,
  };
}
