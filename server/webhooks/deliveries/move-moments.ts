import { inBatches } from "../../core/in-batches.ts";
import type { Row, Step, Store, Tx } from "../../core/store.ts";

/** In one transaction, so that other writes never wait long. */
const chunk = 500;
/** How long after the clock was seen last it may be off without anything following from it. */
const slackMilliseconds = 60_000;

/** The clock was set by so many milliseconds, and shows `now`. */
interface ClockSet {
  by: number;
  now: number;
}

/**
 * The first part of a move: what leases, breakers, retries and subscribers that fail wait for moves along with the
 * clock, so that as much time has to pass as before. Notes in the same transaction that the clock was seen and that the
 * waits are still to be moved, so that a crash in between moves nothing twice. {@link finishMove} does the rest; nobody
 * may claim or settle before.
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

/** Moves the waits of a move that was begun, in this life of the process or an earlier one, from where it was left. */
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
 * From the far end, so that what has moved is not met again. Set ahead, only retries wait for a moment to come: what was
 * told since the clock was set is due at once, and stays so.
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
 * At a start. Whether the machine was off, or its clock was set meanwhile, cannot be told: time in which nobody sent
 * anything is no time in which a subscriber failed. A clock that shows less than it has shown was set back.
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
