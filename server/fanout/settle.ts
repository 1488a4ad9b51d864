import type { Row, Step, Store, Tx } from "../store/store.ts";
import { afterFailure, type Health, healthy, isHopeless } from "./breaker.ts";
import type { Claimed } from "./claim.ts";
import { waitAfter } from "./schedule.ts";

/** What came of one attempt. */
export interface Attempted {
  claimed: Claimed;
  /** Epoch milliseconds. */
  startedAt: number;
  outcome: "accepted" | "failed" | "gone" | "hopeless";
  /** Null when nobody knows. */
  milliseconds: number | null;
  status: number | null;
  /** From a closed list; null when it was accepted. */
  error: string | null;
  answer: string | null;
  retryAfterMs?: number | undefined;
}

/** What the worker tells metrics and log of. */
export interface Settled {
  attempted: Attempted;
  state: "delivered" | "waiting" | "dead" | "superseded";
  /** Why the subscriber has just been disabled. */
  disabled: string | undefined;
}

export interface SettleOptions {
  now: number;
  schedule: readonly number[];
  luck: () => number;
}

/** Writes down a batch of attempts in one transaction: each delivery's fate, and how its subscriber fares. */
export function settle(store: Store, attempts: readonly Attempted[], options: SettleOptions): Promise<Settled[]> {
  return store.write(function* (tx) {
    const settled: Settled[] = [];
    for (const attempted of attempts) settled.push(yield* settleStep(tx, attempted, options));
    return settled;
  });
}

function* settleStep(tx: Tx, attempted: Attempted, options: SettleOptions): Step<Settled> {
  const { claimed } = attempted;
  const ours = yield* tx.one(
    "update delivery set attempts = attempts + 1 where id = $1 and state = 'leased' and lease = $2 returning id",
    [claimed.id, claimed.lease],
  );
  // Its lease was over, and another has it, or it was removed: what was sent, was sent; nothing here decides any more.
  if (!ours) return { attempted, state: "superseded", disabled: undefined };
  yield* attemptStep(tx, attempted);
  const state = yield* fateStep(tx, attempted, options);
  const disabled = yield* subscriberStep(tx, attempted, options.now);
  return { attempted, state, disabled };
}

function* attemptStep(tx: Tx, { claimed, startedAt, milliseconds, status, error, answer }: Attempted): Step<void> {
  yield* tx.run(
    `insert into attempt (delivery_id, number, at, milliseconds, status, error, answer)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict (delivery_id, number) do nothing`,
    [claimed.id, claimed.number, startedAt, milliseconds, status, error, answer],
  );
}

function* fateStep(
  tx: Tx,
  { claimed, outcome, retryAfterMs }: Attempted,
  { now, schedule, luck }: SettleOptions,
): Step<"delivered" | "waiting" | "dead"> {
  const end = (state: string) =>
    tx.run(
      "update delivery set state = $2, tries = $3, lease = null, lease_until = null, ended_at = $4 where id = $1",
      [claimed.id, state, claimed.tries + 1, now],
    );
  if (outcome === "accepted") {
    yield* end("delivered");
    return "delivered";
  }
  const wait = waitAfter(claimed.tries + 1, { schedule, luck: luck(), retryAfterMs });
  if (wait === undefined || outcome === "hopeless") {
    yield* end("dead");
    return "dead";
  }
  yield* tx.run(
    "update delivery set state = 'waiting', tries = $2, next_at = $3, lease = null, lease_until = null where id = $1",
    [claimed.id, claimed.tries + 1, now + wait],
  );
  return "waiting";
}

interface SubscriberRow extends Row {
  failures: number;
  failing_since: number | null;
  openings: number;
  open_until: number | null;
  state: string;
}

/** Returns why it was disabled, if it was. */
function* subscriberStep(tx: Tx, { claimed, outcome, startedAt }: Attempted, now: number): Step<string | undefined> {
  const row = yield* tx.one<SubscriberRow>(
    "select failures, failing_since, openings, open_until, state from subscriber where id = $1",
    [claimed.subscriberId],
  );
  if (!row) return undefined;
  const before: Health = {
    failures: row.failures,
    failingSince: row.failing_since,
    openings: row.openings,
    openUntil: row.open_until,
  };
  // An address that is refused here says nothing about the receiver's health, but it goes on for as long.
  const after = outcome === "accepted" ? healthy : afterFailure(before, { startedAt, now });
  const reason =
    outcome === "gone" ? "answered 410 Gone" : isHopeless(after, now) ? "no success for 120 hours" : undefined;
  const disabled = reason !== undefined && row.state !== "disabled" ? reason : undefined;
  yield* tx.run(
    `update subscriber set failures = $2, failing_since = $3, openings = $4, open_until = $5,
       succeeded_at = coalesce($6, succeeded_at),
       state = case when $7 is null then state else 'disabled' end, reason = coalesce($7, reason)
     where id = $1`,
    [
      claimed.subscriberId,
      after.failures,
      after.failingSince,
      after.openings,
      after.openUntil,
      outcome === "accepted" ? now : null,
      disabled ?? null,
    ],
  );
  return disabled;
}

/** Attempts whose lease is over: nobody knows what came of them. Each counts as one that failed. */
export async function settleAbandoned(store: Store, options: SettleOptions & { all: boolean }): Promise<Settled[]> {
  const rows = await store.all<{
    id: string;
    message_id: string;
    subscriber_id: string;
    lease: string;
    lease_until: number;
    tries: number;
    attempts: number;
  }>(
    `select id, message_id, subscriber_id, lease, lease_until, tries, attempts from delivery
     where state = 'leased' and lease_until <= $1 limit 256`,
    [options.all ? Number.MAX_VALUE : options.now],
  );
  if (rows.length === 0) return [];
  const attempts = rows.map(
    (row): Attempted => ({
      claimed: {
        id: row.id,
        messageId: row.message_id,
        subscriberId: row.subscriber_id,
        lease: row.lease,
        tries: row.tries,
        number: row.attempts + 1,
      },
      startedAt: row.lease_until - 60_000,
      outcome: "failed",
      milliseconds: null,
      status: null,
      error: "abandoned",
      answer: null,
    }),
  );
  return settle(store, attempts, options);
}
