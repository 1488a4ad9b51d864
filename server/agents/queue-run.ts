import type { Step, Tx } from "../core/store.ts";
import { runLimits } from "./run-limits.ts";

/** Id and time of a run, made before the transaction begins, because a transaction may be run again. */
interface NewRun {
  id: string;
  now: number;
}

/**
 * Queues a run in the transaction that assigns a ticket to the agent. Never refuses the ticket: without a repository the
 * run is `waiting` with the reason `no_repository`. Undefined when the ticket already has a live run, which is unchanged.
 */
export function* queueRunStep(
  tx: Tx,
  run: NewRun,
  ticket: { id: string; projectId: string; agentId: string; repositoryId: string | null },
): Step<{ state: "queued" | "waiting"; reason: string | null } | undefined> {
  const repositoryId = ticket.repositoryId ?? (yield* onlyRepositoryStep(tx, ticket.projectId));
  const state = repositoryId === null ? "waiting" : "queued";
  const reason = repositoryId === null ? "no_repository" : null;
  const made = yield* tx.one(
    `insert into agent_run
       (id, ticket_id, project_id, agent_id, repository_id, state, reason, attempt, branch, queued_at, deadline_at)
     values ($1, $2, $3, $4, $5, $6, $7, 1, $8, $9, $10)
     on conflict (ticket_id, agent_id) where state in ('queued', 'waiting', 'claimed', 'running') do nothing
     returning id`,
    [
      run.id,
      ticket.id,
      ticket.projectId,
      ticket.agentId,
      repositoryId,
      state,
      reason,
      `agent/${ticket.id}-${run.id}`,
      run.now,
      run.now + runLimits.queueMilliseconds,
    ],
  );
  return made && { state, reason };
}

/** The repository of a ticket that names none: the project's only one. Null when the project has none or several. */
function* onlyRepositoryStep(tx: Tx, projectId: string): Step<string | null> {
  const bound = yield* tx.all<{ id: string }>(
    "select id from repository where project_id = $1 and unbound_at is null order by id limit 2",
    [projectId],
  );
  return bound.length === 1 ? (bound[0]?.id ?? null) : null;
}
