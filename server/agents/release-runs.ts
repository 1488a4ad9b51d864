import type { Step, Tx, Value } from "../core/store.ts";
import { settleStep } from "./credits.ts";
import { requeueForCreditsStep } from "./requeue.ts";
import type { RunRow } from "./run.ts";
import { agentStep, type Moment } from "./transition.ts";

/**
 * Settles the credits of leased runs and ends their leases, before their tickets are deleted for good. `tickets` is an SQL
 * condition on the ticket `t`, with the parameters `values`.
 */
export function* releaseRunsStep(
  tx: Tx,
  { tickets, values }: { tickets: string; values: readonly Value[] },
  moment: Moment,
): Step<void> {
  const held = yield* tx.all<RunRow>(
    `select r.* from agent_run r join ticket t on t.id = r.ticket_id where r.lease_until is not null and ${tickets}`,
    values,
  );
  for (const run of held) {
    const agent = yield* agentStep(tx, run.agent_id);
    yield* settleStep(tx, run, run.credits_used, { at: moment.now, newId: moment.newId, actorName: agent.name });
    // The lease ends here, because the caller may delete the ticket in a later transaction only.
    yield* tx.run("update agent_run set lease_until = null, credits_held = 0 where id = $1", [run.id]);
  }
  if (held.length > 0) yield* requeueForCreditsStep(tx, moment);
}
