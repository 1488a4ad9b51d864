import { Refusal } from "../core/context.ts";
import { hashOf } from "../core/credential.ts";
import type { Step, Tx } from "../core/store.ts";
import { executorStep, reachesStep } from "./executor.ts";
import type { RunRow } from "./run.ts";

export interface HeldInput {
  tokenId: string;
  runId: string;
  leaseToken: string;
}

/**
 * The run of whoever has its latest lease, whatever became of it since. Runs outside the token's reach are not found;
 * a lease that another one followed is `lease_lost`.
 */
export function* heldRunStep(tx: Tx, { tokenId, runId, leaseToken }: HeldInput): Step<RunRow> {
  yield* executorStep(tx, tokenId);
  const run = yield* tx.one<RunRow>("select * from agent_run where id in ($1)", [runId]);
  if (!run || !(yield* reachesStep(tx, tokenId, run.project_id))) throw new Refusal("not_found");
  if (run.lease !== hashOf(leaseToken)) throw new Refusal("lease_lost");
  return run;
}
