import type { Row, Step, Tx } from "../core/store.ts";

/** Name, version and labels that a machine sends with each claim. */
export interface RunnerInfo {
  name: string;
  version: string;
  labels: readonly string[];
}

/** How many machines are remembered for one token: machines with a new name at every start must not fill the table. */
const perTokenMax = 200;
const noteMilliseconds = 10_000;

/** Records that a machine has asked for a run. Writes at most every ten seconds, because claims come often. */
export function* recordRunnerStep(tx: Tx, tokenId: string, runner: RunnerInfo, now: number): Step<void> {
  const recorded = yield* tx.one<Row & { seen_at: number }>(
    "select seen_at from runner where token_id = $1 and name = $2",
    [tokenId, runner.name],
  );
  if (recorded && Math.abs(now - recorded.seen_at) < noteMilliseconds) return;
  yield* tx.run(
    `insert into runner (token_id, name, version, labels, seen_at) values ($1, $2, $3, $4, $5)
     on conflict (token_id, name) do update set version = excluded.version, labels = excluded.labels, seen_at = excluded.seen_at`,
    [tokenId, runner.name, runner.version, JSON.stringify(runner.labels), now],
  );
  if (recorded) return;
  yield* tx.run(
    `delete from runner where token_id = $1 and name not in
       (select name from runner where token_id = $1 order by seen_at desc, name limit ${perTokenMax})`,
    [tokenId],
  );
}
