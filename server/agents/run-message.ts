import type { Message } from "../webhooks/deliveries/enqueue.ts";
import { publicRun } from "./public-run.ts";
import type { RunRow } from "./run.ts";

/** The webhook message `agent_run.updated`; it is sent to subscribers that name this type. */
export function runMessage(id: string, run: RunRow, at: number): Message {
  const type = "agent_run.updated";
  const head = JSON.stringify({ type, timestamp: new Date(at).toISOString(), data: publicRun(run) });
  return { id, eventId: null, type, head, tail: null };
}
