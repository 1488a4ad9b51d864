import type { Reader } from "../store/store.ts";

/** What became of what was made for a subscriber in one hour; of a busy one, of the first of them. */
export interface Hour {
  at: string;
  delivered: number;
  /** Waiting after a failure, or dead. */
  failed: number;
}

const hourMilliseconds = 3_600_000;
const hours = 48;

/** The last 48 hours, oldest first: each a short look at the beginning of its range, however much lies in it. */
export async function hoursOf(
  store: Reader,
  subscriberId: string,
  { now, sample }: { now: number; sample: number },
): Promise<Hour[]> {
  const first = Math.floor(now / hourMilliseconds) - hours + 1;
  const starts = Array.from({ length: hours }, (_, i) => (first + i) * hourMilliseconds);
  return Promise.all(
    starts.map(async (start) => {
      const row = await store.one<{ delivered: number | null; failed: number | null }>(
        `select cast(sum(case when state = 'delivered' then 1 else 0 end) as integer) as delivered,
           cast(sum(case when state = 'dead' or (state = 'waiting' and attempts > 0) then 1 else 0 end) as integer)
             as failed
         from (select state, attempts from delivery
               where subscriber_id in ($1) and created_at >= $2 and created_at < $3
               order by created_at limit $4) sampled`,
        [subscriberId, start, start + hourMilliseconds, sample],
      );
      return { at: new Date(start).toISOString(), delivered: row?.delivered ?? 0, failed: row?.failed ?? 0 };
    }),
  );
}
