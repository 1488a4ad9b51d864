import type { Row, Step, Tx } from "../core/store.ts";
import { balanceStep } from "./credits.ts";
import type { RunRow } from "./run.ts";
import { runLimits } from "./run-limits.ts";
import { type Moment, transitionStep } from "./transition.ts";

/** Most runs that one transaction queues. Further ones are queued when the balance changes again, or by `expireRuns`. */
const batch = 100;

/** Queues runs that wait for credits, the oldest first, as many as the balance pays for; returns their ids. */
export function* requeueForCreditsStep(tx: Tx, moment: Moment): Step<string[]> {
  const waiting = yield* tx.all<RunRow>(
    "select * from agent_run where state = 'waiting' and reason = 'no_credits' order by queued_at, id limit $1",
    [batch],
  );
  if (waiting.length === 0) return [];
  let left = (yield* balanceStep(tx)) ?? Number.POSITIVE_INFINITY;
  const queued: string[] = [];
  for (const run of waiting) {
    const repository = yield* tx.one<Row & { run_credits: number }>(
      "select run_credits from repository where id in ($1)",
      [run.repository_id],
    );
    left -= repository?.run_credits ?? 0;
    if (left < 0) break;
    yield* queueStep(tx, run, {}, moment);
    queued.push(run.id);
  }
  return queued;
}

/** Queues the runs of a project that wait for a repository, if the project has exactly one now; returns their ids. */
export function* requeueForRepositoryStep(tx: Tx, projectId: string, moment: Moment): Step<string[]> {
  const bound = yield* tx.all<Row & { id: string }>(
    "select id from repository where project_id = $1 and unbound_at is null order by id limit 2",
    [projectId],
  );
  const [only] = bound;
  if (!only || bound.length > 1) return [];
  const waiting = yield* tx.all<RunRow>(
    `select * from agent_run where state = 'waiting' and reason = 'no_repository' and project_id = $1
     order by queued_at, id limit $2`,
    [projectId, batch],
  );
  for (const run of waiting) yield* queueStep(tx, run, { repository_id: only.id }, moment);
  return waiting.map(({ id }) => id);
}

/** Sets the repository of a card's run that is not claimed yet, after a member chose one for the card. A run that waited for it is queued. */
export function* chooseRepositoryStep(
  tx: Tx,
  ticketId: string,
  repositoryId: string | null,
  moment: Moment,
): Step<void> {
  if (repositoryId === null) return;
  const run = yield* tx.one<RunRow>(
    "select * from agent_run where ticket_id = $1 and state in ('queued', 'waiting') limit 1",
    [ticketId],
  );
  if (!run || run.repository_id === repositoryId) return;
  if (run.state === "waiting" && run.reason === "no_repository") {
    yield* queueStep(tx, run, { repository_id: repositoryId }, moment);
  } else {
    yield* tx.run("update agent_run set repository_id = $2 where id = $1", [run.id, repositoryId]);
  }
}

function* queueStep(tx: Tx, run: RunRow, change: Partial<Omit<RunRow, "id">>, moment: Moment): Step<void> {
  const queued = {
    ...change,
    state: "queued",
    reason: null,
    deadline_at: moment.now + runLimits.queueMilliseconds,
  } as const;
  yield* transitionStep(tx, run, { change: queued, activity: "run_queued", detail: { attempt: run.attempt } }, moment);
}
