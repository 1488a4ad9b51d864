import { Refusal } from "../core/context.ts";
import { hashOf } from "../core/credential.ts";
import type { Step, Tx } from "../core/store.ts";
import { executorStep, reachesStep } from "./executor.ts";
import type { RunRow } from "./run.ts";

export interface LeaseInput {
  tokenId: string;
  runId: string;
  leaseToken: string;
}

/**
 * The run to which a lease token belongs, in whatever state it is. Refuses with `not_found` when the API token may not
 * access the run's project, and with `lease_lost` when the run has a newer lease.
 */
export function* leasedRunStep(tx: Tx, { tokenId, runId, leaseToken }: LeaseInput): Step<RunRow> {
  yield* executorStep(tx, tokenId);
  const run = yield* tx.one<RunRow>("select * from agent_run where id in ($1)", [runId]);
  if (!run || !(yield* reachesStep(tx, tokenId, run.project_id))) throw new Refusal("not_found");
  if (run.lease !== hashOf(leaseToken)) throw new Refusal("lease_lost");
  return run;
}
