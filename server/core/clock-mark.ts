import type { ClockMark, MachineTime } from "./judge-clock.ts";
import type { Reader, Step, Tx } from "./store.ts";

const selectClockMark = `select at, boot_id as "bootId", uptime from clock_mark`;

export function readClockMark(store: Reader): Promise<ClockMark | undefined> {
  return store.one<{ at: number; bootId: string; uptime: number }>(selectClockMark);
}

export function* setClockMarkStep(tx: Tx, { at, bootId, uptime }: ClockMark): Step<void> {
  yield* tx.run(
    `insert into clock_mark (id, at, boot_id, uptime) values (1, $1, $2, $3)
     on conflict (id) do update set at = excluded.at, boot_id = excluded.boot_id, uptime = excluded.uptime`,
    [at, bootId, uptime],
  );
}

export function markOf({ now, bootId, uptime }: MachineTime): ClockMark {
  return { at: now, bootId, uptime };
}

/** Every id is a UUIDv7 that this server made, so the highest one tells by an index when the newest row was made. */
const selectNewestIds = ["event", "ticket", "audit", "session", "message"].map(
  (table) => `select max(id) as id from ${table}`,
);

export async function readNewestTime(store: Reader): Promise<number | undefined> {
  const rows = selectNewestIds.map((select) => store.one<{ id: string | null }>(select));
  return newestTime((await Promise.all(rows)).map((row) => row?.id));
}

/** Epoch milliseconds; undefined without any row. */
function newestTime(ids: readonly (string | null | undefined)[]): number | undefined {
  const times = ids.flatMap((id) => {
    const [, high, low] = /^([\da-f]{8})-([\da-f]{4})-7/.exec(id ?? "") ?? [];
    return high === undefined ? [] : [Number.parseInt(`${high}${low}`, 16)];
  });
  return times.length === 0 ? undefined : Math.max(...times);
}
