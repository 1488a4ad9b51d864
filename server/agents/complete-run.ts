import type { Run, RunOutcome } from "../../openapi/schema/runner.ts";
import { type Context, Refusal } from "../core/context.ts";
import type { Step, Tx } from "../core/store.ts";
import { settleLateStep, settleStep } from "./credits.ts";
import { type LeaseInput, leasedRunStep } from "./leased-run.ts";
import { publicRun } from "./public-run.ts";
import { isPullRequestOf } from "./pull-request-url.ts";
import { requeueForCreditsStep } from "./requeue.ts";
import { isLive, type RunRow } from "./run.ts";
import { runChanged } from "./run-changed.ts";
import { agentStep, changeStep, type Moment, type RunActivity, transitionStep } from "./transition.ts";

interface CompleteInput extends LeaseInput {
  outcome: RunOutcome;
  summary?: string | undefined;
  branch?: string | undefined;
  pullRequestUrl?: string | undefined;
  creditsUsed: number;
}

const activities = {
  succeeded: "run_succeeded",
  failed: "run_failed",
  cancelled: "run_cancelled",
} as const satisfies Record<RunOutcome, RunActivity>;

/**
 * Ends a run and settles its credits. A repeat changes nothing and gets the first answer again. A completion that comes
 * after the lease has ended is accepted as long as no other runner has claimed the run.
 */
export async function completeRun({ ctx, input }: { ctx: Context; input: CompleteInput }): Promise<Run> {
  const moment = { now: ctx.now(), newId: ctx.newId };
  const { run, changed, queued } = await ctx.store.write(function* (tx) {
    const run = yield* leasedRunStep(tx, input);
    yield* requireOwnPullRequest(tx, run, input.pullRequestUrl);
    const late = wasGivenUp(run);
    // The run is completed already: the first completion stands.
    if (!late && !isLive(run.state) && run.lease_until === null) return { run, changed: false, queued: [] };
    const agent = yield* agentStep(tx, run.agent_id);
    const about = { at: moment.now, newId: moment.newId, actorName: agent.name };
    if (late) yield* settleLateStep(tx, run, input.creditsUsed, about);
    else yield* settleStep(tx, run, input.creditsUsed, about);
    const queued = yield* requeueForCreditsStep(tx, moment);
    const result = {
      lease_until: null,
      credits_used: input.creditsUsed,
      progress: null,
      ...(input.summary === undefined ? {} : { summary: input.summary }),
      ...(input.branch === undefined ? {} : { branch: input.branch }),
      ...(input.pullRequestUrl === undefined ? {} : { pull_request_url: input.pullRequestUrl }),
    };
    // A member cancelled the run before its runner completed it: only the result and the credits are added.
    if (!late && !isLive(run.state)) return { run: yield* changeStep(tx, run, result), changed: true, queued };
    return { run: yield* endStep(tx, run, input, result, moment), changed: true, queued };
  });
  if (changed) {
    for (const id of [run.id, ...queued]) await runChanged(ctx, id);
    ctx.changed?.({ kind: "credits", id: run.id });
  }
  return publicRun(run);
}

/** Whether the run's lease ended without a word from its runner and no other runner has claimed the run since. */
function wasGivenUp({ state, reason, lease_until }: RunRow): boolean {
  if (lease_until !== null) return false;
  return state === "queued" || state === "waiting" || (state === "failed" && reason === "runner_vanished");
}

function* endStep(
  tx: Tx,
  run: RunRow,
  input: CompleteInput,
  result: Partial<Omit<RunRow, "id">>,
  moment: Moment,
): Step<RunRow> {
  let before = run;
  if (input.pullRequestUrl !== undefined) {
    const opened = { change: {}, activity: "run_pull_request", detail: { url: input.pullRequestUrl } } as const;
    before = yield* transitionStep(tx, run, opened, moment);
  }
  return yield* transitionStep(
    tx,
    before,
    {
      change: {
        ...result,
        state: input.outcome,
        reason: null,
        started_at: run.started_at ?? run.claimed_at ?? moment.now,
        ended_at: moment.now,
        deadline_at: null,
      },
      activity: activities[input.outcome],
      detail: { attempt: run.attempt, creditsUsed: input.creditsUsed },
    },
    moment,
  );
}

function* requireOwnPullRequest(tx: Tx, run: RunRow, url: string | undefined): Step<void> {
  if (url === undefined) return;
  const repository = yield* tx.one<{ url: string }>("select url from repository where id in ($1)", [run.repository_id]);
  if (repository && isPullRequestOf(url, repository.url)) return;
  throw new Refusal("invalid_input", undefined, {
    details: [
      {
        path: "/pullRequestUrl",
        code: "bad_value",
        message: "must be an https address below that of the run's repository.",
      },
    ],
  });
}
