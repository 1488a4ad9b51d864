import type { Run } from "../../openapi/schema/runner.ts";
import type { RunRow } from "./run.ts";

/** A run as answers of the runner protocol and webhook messages contain it. */
export function publicRun(run: RunRow): Run {
  return {
    id: run.id,
    ticketId: run.ticket_id,
    projectId: run.project_id,
    ...(run.repository_id === null ? {} : { repositoryId: run.repository_id }),
    state: run.state,
    ...(run.reason === null ? {} : { reason: run.reason }),
    attempt: run.attempt,
    branch: run.branch,
    ...(run.pull_request_url === null ? {} : { pullRequestUrl: run.pull_request_url }),
    ...(run.summary === null ? {} : { summary: run.summary }),
    creditsHeld: run.credits_held,
    creditsUsed: run.credits_used,
    queuedAt: new Date(run.queued_at).toISOString(),
    ...(run.started_at === null ? {} : { startedAt: new Date(run.started_at).toISOString() }),
    ...(run.ended_at === null ? {} : { endedAt: new Date(run.ended_at).toISOString() }),
  };
}
