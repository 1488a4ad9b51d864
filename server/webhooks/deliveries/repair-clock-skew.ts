import { inBatches } from "../../core/in-batches.ts";
import type { Store } from "../../core/store.ts";
import { openMaxMs } from "../subscribers/breaker.ts";
import { longestWait, waitAfter } from "../subscribers/retry-schedule.ts";
import { overlapMilliseconds } from "../subscribers/rotate-secret.ts";
import { leaseMilliseconds } from "./claim.ts";

/** Rows that one transaction changes, so that other writes never wait long. */
const chunk = 500;
/** Smaller differences are ignored: clocks are set back a little all the time. */
const slackMilliseconds = 60_000;

interface ClockOptions {
  /** Epoch milliseconds. */
  now: number;
  schedule: readonly number[];
  random: () => number;
}

/**
 * Repairs times that a clock set too far ahead has left, and that would otherwise be waited for, perhaps for years. A
 * time that lies further ahead than any rule allows is set to the latest one that is allowed; a delivery waits as its
 * schedule says, from now on.
 */
export async function repairClockSkew(store: Store, options: ClockOptions): Promise<void> {
  const { now } = options;
  await inBatches(() => takeBackWaits(store, options));
  await inBatches(() => takeBackEnds(store, now));
  await takeBack(
    store,
    { table: "delivery", column: "lease_until", where: "state = 'leased'" },
    now + leaseMilliseconds,
  );
  const table = "subscriber";
  await takeBack(store, { table, column: "open_until" }, now + openMaxMs);
  await takeBack(store, { table, column: "previous_until" }, now + overlapMilliseconds);
  await takeBack(store, { table, column: "failing_since" }, now);
  await takeBack(store, { table, column: "succeeded_at" }, now);
}

async function takeBackWaits(store: Store, { now, schedule, random }: ClockOptions): Promise<number> {
  const rows = await store.all<{ id: string; tries: number }>(
    // A cross join, because the planner would otherwise read every delivery.
    `select delivery.id, tries from subscriber cross join delivery
     where subscriber_id = subscriber.id and delivery.state = 'waiting' and next_at > $1 limit ${chunk}`,
    [now + longestWait(schedule) + slackMilliseconds],
  );
  if (rows.length === 0) return 0;
  await store.write(function* (tx) {
    for (const { id, tries } of rows) {
      yield* tx.run("update delivery set next_at = $2 where id = $1 and state = 'waiting'", [
        id,
        now + (waitAfter(tries, { schedule, random: random() }) ?? 0),
      ]);
    }
  });
  return rows.length;
}

async function takeBackEnds(store: Store, now: number): Promise<number> {
  const rows = await store.all<{ id: string }>(`select id from delivery where ended_at > $1 limit ${chunk}`, [
    now + slackMilliseconds,
  ]);
  if (rows.length === 0) return 0;
  await store.write(function* (tx) {
    for (const { id } of rows) {
      yield* tx.run("update delivery set ended_at = $2 where id = $1 and ended_at > $2", [id, now]);
    }
  });
  return rows.length;
}

/** Few rows have such a time, so one step changes all of them; nothing is written when there is none. */
async function takeBack(
  store: Store,
  { table, column, where = "true" }: { table: "delivery" | "subscriber"; column: string; where?: string },
  max: number,
): Promise<void> {
  const condition = `${where} and ${column} > $1`;
  if (!(await store.one(`select 1 as found from ${table} where ${condition} limit 1`, [max + slackMilliseconds])))
    return;
  await store.write((tx) => tx.run(`update ${table} set ${column} = $1 where ${condition}`, [max]));
}
