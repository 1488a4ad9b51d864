import type { Reader, Row } from "../core/store.ts";
import { onlineRunners, reasonOf } from "./online-runners.ts";
import type { RunRow } from "./run.ts";

/** The state of a run, as a card shows it. */
export interface LatestRun {
  id: string;
  state: string;
  reason: string | null;
}

interface LatestRunRow extends Row, Pick<RunRow, "id" | "state" | "reason" | "project_id"> {}

/** The newest run of a ticket; undefined when it has none. */
export async function latestRun(store: Reader, ticketId: string, now: number): Promise<LatestRun | undefined> {
  const run = await store.one<LatestRunRow>(
    "select id, state, reason, project_id from agent_run where ticket_id = $1 order by id desc limit 1",
    [ticketId],
  );
  return run && { id: run.id, state: run.state, reason: reasonOf(run, await onlineRunners(store, now)) };
}
