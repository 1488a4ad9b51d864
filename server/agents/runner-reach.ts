import type { Reader, Row } from "../core/store.ts";
import type { RunState } from "./run.ts";
import { runLimits } from "./run-limits.ts";

/** Whether a machine was seen lately that may execute runs of a project. */
export type RunnerReach = (projectId: string) => boolean;

interface ReachRow extends Row {
  reaches_all: number;
  project_id: string | null;
}

/** One look for a whole list. A machine that executes a run asks for none, and is seen by its heartbeats. */
export async function runnerReach(store: Reader, now: number): Promise<RunnerReach> {
  const rows = await store.all<ReachRow>(
    `select distinct t.reaches_all, p.project_id from api_token t left join api_token_project p on p.token_id = t.id
     where t.revoked_at is null and t.id in
       (select token_id from runner where seen_at > $1
        union select runner_token_id from agent_run where lease_until is not null and heartbeat_at > $1)`,
    [now - runLimits.runnerSeenMilliseconds],
  );
  if (rows.some(({ reaches_all }) => reaches_all === 1)) return () => true;
  const reached = new Set(rows.map(({ project_id }) => project_id));
  return (projectId) => reached.has(projectId);
}

/** Why a run waits or ended as it did. A queued one says so while there is no machine to take it. */
export function reasonOf(
  { state, reason, project_id }: { state: string; reason: string | null; project_id: string | null },
  reaches: RunnerReach,
): string | null {
  if (reason !== null) return reason;
  const queued: RunState = "queued";
  return state === queued && !reaches(project_id ?? "") ? "no_runner" : null;
}

/** When a machine was last seen that may execute runs of the project; null when none ever was. */
export async function runnerSeenAt(store: Reader, projectId: string): Promise<number | null> {
  const row = await store.one<Row & { at: number | null }>(
    `select max(u.seen_at) as at from runner u join api_token t on t.id = u.token_id
     where t.reaches_all = 1 or exists
       (select 1 from api_token_project p where p.token_id = t.id and p.project_id = $1)`,
    [projectId],
  );
  return row?.at ?? null;
}
