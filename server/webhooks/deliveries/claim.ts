import { CommitInDoubt, type Step, type Store, type Tx } from "../../core/store.ts";
import { roomOf } from "../subscribers/breaker.ts";
import { inFlightCap } from "../subscribers/in-flight-cap.ts";
import type { SubscriberRow } from "../subscribers/subscriber-row.ts";
import type { DeliveryRow } from "./delivery-view.ts";
import type { Budget } from "./places.ts";

/** Longer than any attempt takes: an attempt that is not settled by then counts as abandoned. */
export const leaseMilliseconds = 60_000;

/** The process that claims, where others use the same store. */
export interface LeaseHolder {
  id: string;
  /** Whether the others count it as alive. They take what a dead process has claimed. */
  alive: () => boolean;
}

/** A delivery that was claimed, to be attempted before its lease is over. */
export interface Claimed {
  id: string;
  messageId: string;
  subscriberId: string;
  /** Names this claim, after its holder where there are several: an attempt is settled only while the delivery still has it. */
  lease: string;
  /** Tries before this one, in the present pass through the schedule. */
  tries: number;
  /** The number of this attempt, from 1. */
  number: number;
}

type ClaimingRow = Pick<SubscriberRow, "id" | "failures" | "open_until"> & { leased: number };
type DueRow = Pick<DeliveryRow, "id" | "message_id" | "tries" | "attempts" | "next_at">;

/**
 * Claims up to `limit` due deliveries. Subscribers take turns, so that one with a million waiting deliveries does not
 * delay the others, and one that hangs has only a few in flight.
 */
export async function claim(
  store: Store,
  {
    limit,
    now,
    newId,
    holder,
    budget = () => ({ take: () => true }),
    unsent = [],
  }: {
    limit: number;
    now: number;
    newId: () => string;
    holder?: LeaseHolder | undefined;
    budget?: () => Budget;
    /**
     * Earlier claims that nothing was sent for, which are given back. A claim whose commit is in doubt adds its own, as
     * it may be stored. One that fails otherwise adds nothing: while a disk is full, the list would grow with each try.
     */
    unsent?: Claimed[];
  },
): Promise<Claimed[]> {
  const newLease = holder === undefined ? newId : () => `${holder.id} ${newId()}`;
  const givenBack = [...unsent];
  let claimed: Claimed[] = [];
  try {
    await store.write<unknown>(
      function* (tx) {
        claimed = [];
        yield* giveBackStep(tx, givenBack);
        claimed = yield* claimStep(tx, { limit, now, newLease, budget });
      },
      { isolation: "locks", stored: (tx) => isClaimedStep(tx, claimed) },
    );
  } catch (error) {
    if (error instanceof CommitInDoubt) unsent.push(...claimed);
    throw error;
  }
  unsent.splice(0, givenBack.length);
  return claimed;
}

/** The deliveries wait again, as if they had not been claimed. */
function* giveBackStep(tx: Tx, claims: readonly Claimed[]): Step<void> {
  for (const { id, lease } of claims) {
    yield* tx.run(
      "update delivery set state = 'waiting', lease = null, lease_until = null where id = $1 and lease = $2",
      [id, lease],
    );
  }
}

/** All claims of a write are stored, or none. */
function* isClaimedStep(tx: Tx, [one]: readonly Claimed[]): Step<boolean | undefined> {
  if (!one) return undefined;
  const row = yield* tx.one("select 1 as claimed from delivery where id = $1 and lease = $2", [one.id, one.lease]);
  return row ? true : undefined;
}

const ready = `state = 'active' and (open_until is null or open_until <= $1)
  and exists (select 1 from delivery where subscriber_id = subscriber.id and state = 'waiting' and next_at <= $1)`;

function* claimStep(
  tx: Tx,
  { limit, now, newLease, budget }: { limit: number; now: number; newLease: () => string; budget: () => Budget },
): Step<Claimed[]> {
  // What is under way is counted once nobody else can claim for the subscriber: the count in the same statement would
  // be older than the lock.
  const locked = yield* tx.all<{ id: string }>(`select id from subscriber where ${ready}`, [now], "skip");
  if (locked.length === 0) return [];
  const mine = new Set(locked.map(({ id }) => id));
  const subscribers = yield* tx.all<ClaimingRow>(
    `select id, failures, open_until,
         (select cast(count(*) as integer) from delivery
          where subscriber_id = subscriber.id and state = 'leased') as leased
       from subscriber where ${ready} order by id`,
    [now],
  );
  const queues: Queue[] = [];
  for (const { id, failures, open_until, leased } of subscribers) {
    if (!mine.has(id)) continue;
    const health = { failures, openUntil: open_until };
    const room = Math.min(limit, roomOf(health, { now, cap: inFlightCap }) - leased);
    if (room > 0) queues.push({ subscriberId: id, leased, due: yield* dueStep(tx, id, now, room) });
  }
  // When there are more subscribers than places, the one that has waited longest comes first.
  queues.sort((a, b) => (a.due[0]?.next_at ?? 0) - (b.due[0]?.next_at ?? 0));
  const claimed: Claimed[] = [];
  for (const { subscriberId, row } of inTurn(queues, { limit, budget: budget() })) {
    const one = {
      id: row.id,
      messageId: row.message_id,
      subscriberId,
      lease: newLease(),
      tries: row.tries,
      number: row.attempts + 1,
    };
    yield* tx.run("update delivery set state = 'leased', lease = $2, lease_until = $3 where id in ($1)", [
      one.id,
      one.lease,
      now + leaseMilliseconds,
    ]);
    claimed.push(one);
  }
  return claimed;
}

function* dueStep(tx: Tx, subscriberId: string, now: number, room: number): Step<DueRow[]> {
  return yield* tx.all<DueRow>(
    `select id, message_id, tries, attempts, next_at from delivery
     where subscriber_id in ($1) and state = 'waiting' and next_at <= $2 order by next_at limit $3`,
    [subscriberId, now, room],
  );
}

interface Queue {
  subscriberId: string;
  leased: number;
  due: DueRow[];
}

function* inTurn(queues: readonly Queue[], { limit, budget }: { limit: number; budget: Budget }) {
  let left = limit;
  for (let turn = 0; queues.some(({ due, leased }) => turn < leased + due.length); turn++) {
    for (const { subscriberId, leased, due } of queues) {
      const row = due[turn - leased];
      if (!row) continue;
      if (left <= 0) return;
      // A subscriber that is refused once gets nothing more in this claim: no place becomes free meanwhile.
      if (!budget.take(subscriberId, turn)) due.length = turn - leased;
      else {
        left--;
        yield { subscriberId, row };
      }
    }
  }
}
