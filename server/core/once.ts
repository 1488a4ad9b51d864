import { hashOf } from "./credential.ts";
import { type Cutoff, cutoffBy } from "./cutoff.ts";
import type { Step, Tx } from "./store.ts";

/** Uses something that counts once; false when it was used before. `until`: after it, it is refused for its age. */
export function* useOnceStep(
  tx: Tx,
  what: string,
  { until, now, cutoff = cutoffBy(() => now) }: { until: number; now: number; cutoff?: Cutoff | undefined },
): Step<boolean> {
  yield* tx.run("delete from used_once where expires_at <= $1", [cutoff(0)]);
  const used = yield* tx.one(
    "insert into used_once (hash, expires_at) values ($1, $2) on conflict (hash) do nothing returning hash",
    [hashOf(what), until],
  );
  return used !== undefined;
}
