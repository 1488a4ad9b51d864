import type { Reader, Row } from "../core/store.ts";
import type { RunState } from "./run.ts";
import { runLimits } from "./run-limits.ts";

/** Whether a machine that may execute runs of the project is online. */
export type HasOnlineRunner = (projectId: string) => boolean;

interface ReachRow extends Row {
  reaches_all: number;
  project_id: string | null;
}

/**
 * Finds the online runners once, for a whole list of runs. A machine counts as online after a claim and, while it
 * executes a run, after a heartbeat.
 */
export async function onlineRunners(store: Reader, now: number): Promise<HasOnlineRunner> {
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

/** The reason that people see for a run's state. A queued run without an online runner has the reason `no_runner`, which is not stored. */
export function reasonOf(
  { state, reason, project_id }: { state: string; reason: string | null; project_id: string | null },
  hasOnlineRunner: HasOnlineRunner,
): string | null {
  if (reason !== null) return reason;
  const queued: RunState = "queued";
  return state === queued && !hasOnlineRunner(project_id ?? "") ? "no_runner" : null;
}

/** When a machine that may execute runs of the project was last seen (epoch milliseconds); null when there was none. */
export async function runnerSeenAt(store: Reader, projectId: string): Promise<number | null> {
  const row = await store.one<Row & { at: number | null }>(
    `select max(u.seen_at) as at from runner u join api_token t on t.id = u.token_id
     where t.reaches_all = 1 or exists
       (select 1 from api_token_project p where p.token_id = t.id and p.project_id = $1)`,
    [projectId],
  );
  return row?.at ?? null;
}
