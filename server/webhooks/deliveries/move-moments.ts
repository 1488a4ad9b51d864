import { inBatches } from "../../core/in-batches.ts";
import type { Row, Step, Store, Tx } from "../../core/store.ts";

/** Rows that one transaction changes, so that other writes never wait long. */
const chunk = 500;
/** Differences up to this between the clock and the time when it was last seen are ignored. */
const slackMilliseconds = 60_000;

/** The clock was set forward by `by` milliseconds (back when negative), and now shows `now`. */
interface ClockSet {
  by: number;
  now: number;
}

/**
 * Begins a move: when the clock is set, everything that waits for a time has to move along, so that it waits as long as
 * before. This moves leases, breakers, former secrets and the time since which subscribers fail, and notes in the same
 * transaction what is left to move, so that a crash moves nothing twice. {@link finishMove} moves the waiting
 * deliveries; until then nothing may be claimed or settled.
 */
export async function beginMove(store: Store, { by, now }: ClockSet): Promise<void> {
  await store.write(function* (tx) {
    yield* tx.run("update delivery set lease_until = lease_until + $1 where state = 'leased'", [by]);
    yield* tx.run(
      `update subscriber set failing_since = failing_since + $1, open_until = open_until + $1,
         previous_until = previous_until + $1
       where failing_since is not null or open_until is not null or previous_until is not null`,
      [by],
    );
    yield* noteSeenStep(tx, now);
    yield* tx.run("update delivery_clock set move_by = $1, move_at = $2", [by, now]);
  });
}

interface MoveRow extends Row {
  move_by: number | null;
  move_at: number | null;
  move_subscriber_id: string | null;
  move_next_at: number | null;
  move_delivery_id: string | null;
}

/** Moves the waiting deliveries of a move that was begun by this process or an earlier one, from where that stopped. */
export async function finishMove(store: Store): Promise<void> {
  const left = await store.one<MoveRow>(
    "select move_by, move_at, move_subscriber_id, move_next_at, move_delivery_id from delivery_clock",
  );
  if (left === undefined || left.move_by === null || left.move_at === null) return;
  const set = { by: left.move_by, now: left.move_at };
  const { move_subscriber_id: from, move_next_at: at, move_delivery_id: delivery } = left;
  const subscribers = await store.all<{ id: string }>("select id from subscriber where id >= $1 order by id", [
    from ?? "",
  ]);
  for (const { id } of subscribers) {
    const cursor = id === from && at !== null && delivery !== null ? ([at, delivery] as const) : undefined;
    await moveWaits(store, id, set, cursor);
  }
  await store.write((tx) =>
    tx.run(
      `update delivery_clock set move_by = null, move_at = null, move_subscriber_id = null, move_next_at = null,
         move_delivery_id = null`,
    ),
  );
}

interface WaitRow extends Row {
  id: string;
  next_at: number;
}

/**
 * Moves the waiting deliveries of one subscriber, beginning with the farthest time, so that a moved row is not read
 * again. When the clock was set forward only retries move: a delivery that was made since is due at once and stays due.
 */
async function moveWaits(
  store: Store,
  subscriberId: string,
  { by, now }: ClockSet,
  from: readonly [number, string] | undefined,
): Promise<void> {
  const [after, which, order] = by > 0 ? [now - by, "and tries > 0", "desc"] : [now, "", "asc"];
  const compared = by > 0 ? "<" : ">";
  let cursor = from;
  await inBatches(async () => {
    const rows = await store.all<WaitRow>(
      `select id, next_at from delivery
       where subscriber_id in ($1) and state = 'waiting' and next_at > $2 ${which}
         ${cursor ? `and (next_at, id) ${compared} ($4, $5)` : ""}
       order by next_at ${order}, id ${order} limit $3`,
      [subscriberId, after, chunk, ...(cursor ?? [])],
    );
    const last = rows.at(-1);
    if (!last) return 0;
    await store.write(function* (tx) {
      for (const { id } of rows) {
        yield* tx.run("update delivery set next_at = next_at + $2 where id = $1 and state = 'waiting'", [id, by]);
      }
      yield* tx.run("update delivery_clock set move_subscriber_id = $1, move_next_at = $2, move_delivery_id = $3", [
        subscriberId,
        last.next_at,
        last.id,
      ]);
    });
    cursor = [last.next_at, last.id];
    return rows.length;
  });
}

/**
 * To be called when the server starts. It cannot know whether the machine was off or the clock was set. In both cases
 * nothing was sent, so the time does not count as time in which a subscriber failed. A clock that shows less than
 * before was set back.
 */
export async function moveSinceSeen(store: Store, now: number): Promise<void> {
  await finishMove(store);
  const seen = await store.one<{ seen_at: number }>("select seen_at from delivery_clock");
  const by = seen ? now - seen.seen_at : 0;
  if (by < -slackMilliseconds) {
    await beginMove(store, { by, now });
    await finishMove(store);
    return;
  }
  await store.write(function* (tx) {
    if (by > slackMilliseconds) {
      yield* tx.run("update subscriber set failing_since = failing_since + $1 where failing_since is not null", [by]);
    }
    yield* noteSeenStep(tx, now);
  });
}

export function noteSeen(store: Store, now: number): Promise<void> {
  return store.write((tx) => noteSeenStep(tx, now));
}

function* noteSeenStep(tx: Tx, now: number): Step<void> {
  yield* tx.run(
    `insert into delivery_clock (id, seen_at) values (1, $1)
     on conflict (id) do update set seen_at = excluded.seen_at`,
    [now],
  );
}
