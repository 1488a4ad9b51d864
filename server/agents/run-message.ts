import type { Message } from "../webhooks/deliveries/enqueue.ts";
import { publicRun } from "./public-run.ts";
import type { RunRow } from "./run.ts";

/** `agent_run.updated`, as subscribers that name the type are told of a run. */
export function runMessage(id: string, run: RunRow, at: number): Message {
  const type = "agent_run.updated";
  const head = JSON.stringify({ type, timestamp: new Date(at).toISOString(), data: publicRun(run) });
  return { id, eventId: null, type, head, tail: null };
}
