import type { Cutoff } from "../../core/cutoff.ts";
import type { Reader, Step, Tx } from "../../core/store.ts";

/** Attempts of one subscriber that began in the hour that starts at `at`. */
export interface Hour {
  at: string;
  accepted: number;
  failed: number;
}

const hourMilliseconds = 3_600_000;
const hours = 48;

/** The attempts of a subscriber in each of the last 48 hours, oldest first. */
export async function hourlyOutcomesOf(store: Reader, subscriberId: string, now: number): Promise<Hour[]> {
  const newest = hourOf(now);
  const starts = Array.from({ length: hours }, (_, i) => newest - (hours - 1 - i) * hourMilliseconds);
  const rows = await store.all<{ at: number; accepted: number; failed: number }>(
    "select at, accepted, failed from attempt_hour where subscriber_id = $1 and at >= $2 and at <= $3",
    [subscriberId, starts[0] ?? newest, newest],
  );
  const counted = new Map(rows.map((row) => [row.at, row]));
  return starts.map((start) => {
    const { accepted = 0, failed = 0 } = counted.get(start) ?? {};
    return { at: new Date(start).toISOString(), accepted, failed };
  });
}

/** Counts attempts of a subscriber; each is `accepted` or not, and began at a time in epoch milliseconds. */
export function* countAttemptsStep(
  tx: Tx,
  subscriberId: string,
  attempts: readonly { startedAt: number; accepted: boolean }[],
  cutoff: Cutoff,
): Step<void> {
  for (const [at, some] of Map.groupBy(attempts, ({ startedAt }) => hourOf(startedAt))) {
    const accepted = some.filter((one) => one.accepted).length;
    const counted = yield* tx.one<{ accepted: number; failed: number }>(
      `insert into attempt_hour (subscriber_id, at, accepted, failed) values ($1, $2, $3, $4)
       on conflict (subscriber_id, at) do update
         set accepted = attempt_hour.accepted + excluded.accepted, failed = attempt_hour.failed + excluded.failed
       returning accepted, failed`,
      [subscriberId, at, accepted, some.length - accepted],
    );
    // The first attempt of an hour deletes the counts that are older than 48 hours.
    if (counted && counted.accepted + counted.failed === some.length) {
      yield* tx.run("delete from attempt_hour where subscriber_id = $1 and at <= $2", [
        subscriberId,
        cutoff(hours * hourMilliseconds),
      ]);
    }
  }
}

function hourOf(time: number): number {
  return Math.floor(time / hourMilliseconds) * hourMilliseconds;
}
