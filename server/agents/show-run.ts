import type { Reader, Row } from "../store/store.ts";

export interface RunView {
  id: string;
  state: string;
  reason: string | null;
}

interface RunRow extends Row {
  id: string;
  state: string;
  reason: string | null;
}

/** The newest run of a ticket. A queued one tells that no runner takes it, as long as none has been seen. */
export async function latestRun(store: Reader, ticketId: string): Promise<RunView | undefined> {
  const run = await store.one<RunRow>(
    "select id, state, reason from agent_run where ticket_id = $1 order by id desc limit 1",
    [ticketId],
  );
  // Runners report nowhere yet, so none has been seen.
  return run && { id: run.id, state: run.state, reason: run.reason ?? (run.state === "queued" ? "no_runner" : null) };
}
