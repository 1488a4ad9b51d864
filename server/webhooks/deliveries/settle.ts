import { type Cutoff, cutoffBy } from "../../core/cutoff.ts";
import { highest } from "../../core/page.ts";
import type { Sql, Step, Store, Tx } from "../../core/store.ts";
import { countAttemptsStep } from "../attempts/hourly-outcomes.ts";
import { keepLastAttemptStep } from "../attempts/last-attempt.ts";
import { afterFailure, type Health, healthy, isHopeless } from "../subscribers/breaker.ts";
import { waitAfter } from "../subscribers/retry-schedule.ts";
import type { SubscriberRow } from "../subscribers/subscriber-row.ts";
import { type Claimed, leaseMilliseconds } from "./claim.ts";
import type { DeliveryRow } from "./delivery-view.ts";

/** The result of one attempt. */
export interface Attempted {
  claimed: Claimed;
  /** Epoch milliseconds. */
  startedAt: number;
  outcome: "accepted" | "failed" | "gone" | "hopeless";
  /** Null when it is not known how long the attempt took. */
  milliseconds: number | null;
  status: number | null;
  /** From a closed list; null when the message was accepted. */
  error: string | null;
  /** Why nothing was sent, as a sentence. */
  detail?: string | undefined;
  /** Of the answer: as much as was read. */
  headers?: Record<string, string> | undefined;
  answer: string | null;
  answerCut?: true | undefined;
  retryAfterMs?: number | undefined;
}

/** A settled attempt, for metrics and the log. */
export interface Settled {
  attempted: Attempted;
  state: "delivered" | "waiting" | "dead" | "superseded";
  /** The reason, when this attempt disabled the subscriber. */
  disabled: string | undefined;
}

export interface SettleOptions {
  now: number;
  schedule: readonly number[];
  random: () => number;
  cutoff?: Cutoff | undefined;
}

/** Stores a batch of attempts in one transaction: the next state of each delivery, and the health of its subscriber. */
export function settle(store: Store, attempts: readonly Attempted[], options: SettleOptions): Promise<Settled[]> {
  let settled: Settled[] = [];
  return store.write(
    function* (tx) {
      settled = yield* settleStep(tx, attempts, options);
      return settled;
    },
    { isolation: "locks", stored: (tx) => storedStep(tx, settled) },
  );
}

/** All attempts of a write are stored, or none. */
function* storedStep(tx: Tx, settled: readonly Settled[]): Step<Settled[] | undefined> {
  const one = settled.find(({ state }) => state !== "superseded")?.attempted;
  if (!one) return undefined;
  const row = yield* tx.one(
    "select 1 as stored from attempt where delivery_id = $1 and number = $2 and at = $3 and coalesce(error, '') = $4",
    [one.claimed.id, one.claimed.number, one.startedAt, one.error ?? ""],
  );
  return row ? [...settled] : undefined;
}

function* settleStep(tx: Tx, attempts: readonly Attempted[], options: SettleOptions): Step<Settled[]> {
  const settled: Settled[] = [];
  const subscribers = new Map<string, Subscriber | undefined>();
  // In one order for everybody, and before their deliveries are touched.
  const ids = new Set(attempts.map(({ claimed }) => claimed.subscriberId));
  for (const id of [...ids].sort()) subscribers.set(id, yield* readStep(tx, id));
  for (const attempted of attempts) {
    const state = yield* deliveryStep(tx, attempted, options);
    let disabled: string | undefined;
    // An abandoned attempt says nothing about its receiver. A superseded one is not counted at all.
    if (state !== "superseded" && attempted.error !== "abandoned") {
      disabled = noteAttempt(subscribers.get(attempted.claimed.subscriberId), attempted, options.now);
    }
    settled.push({ attempted, state, disabled });
  }
  for (const [id, subscriber] of subscribers) if (subscriber?.changed) yield* writeStep(tx, id, subscriber);
  yield* rememberCompletedStep(tx, settled, options.cutoff ?? cutoffBy(() => options.now));
  return settled;
}

/** Stores what pages show: the number of attempts that succeeded, and the last attempt. */
function* rememberCompletedStep(tx: Tx, settled: readonly Settled[], cutoff: Cutoff): Step<void> {
  const completed = settled.filter(({ state }) => state !== "superseded").map(({ attempted }) => attempted);
  for (const [subscriberId, attempts] of Map.groupBy(completed, ({ claimed }) => claimed.subscriberId)) {
    const counted = attempts.map(({ startedAt, outcome }) => ({ startedAt, accepted: outcome === "accepted" }));
    yield* countAttemptsStep(tx, subscriberId, counted, cutoff);
    const last = attempts.at(-1);
    if (!last) continue;
    const { claimed, headers, answer, answerCut } = last;
    const { id: deliveryId, number } = claimed;
    yield* keepLastAttemptStep(tx, subscriberId, { deliveryId, number, headers, answer, answerCut });
  }
}

/** Moves the delivery to its next state. */
function* deliveryStep(tx: Tx, attempted: Attempted, options: SettleOptions): Step<Settled["state"]> {
  const { claimed } = attempted;
  const { state, nextAt } = nextStateOf(attempted, options);
  const updated = yield* tx.one(
    `update delivery set attempts = attempts + 1, state = $3, tries = $4, next_at = coalesce($5, next_at), ended_at = $6,
       lease = null, lease_until = null
     where id = $1 and state = 'leased' and lease = $2 returning id`,
    [claimed.id, claimed.lease, state, claimed.tries + 1, nextAt, nextAt === null ? options.now : null],
  );
  // The lease had expired and another worker has the delivery, or the delivery was removed: this attempt decides
  // nothing.
  if (!updated) return "superseded";
  yield* attemptStep(tx, attempted);
  return state;
}

function nextStateOf(
  { claimed, outcome, retryAfterMs }: Attempted,
  { now, schedule, random }: SettleOptions,
): { state: "delivered" | "waiting" | "dead"; nextAt: number | null } {
  if (outcome === "accepted") return { state: "delivered", nextAt: null };
  const wait = waitAfter(claimed.tries + 1, { schedule, random: random(), retryAfterMs });
  if (wait === undefined || outcome === "hopeless") return { state: "dead", nextAt: null };
  return { state: "waiting", nextAt: now + wait };
}

function* attemptStep(
  tx: Tx,
  { claimed, startedAt, milliseconds, status, error, detail, answer }: Attempted,
): Step<void> {
  yield* tx.run(
    `insert into attempt (delivery_id, number, at, milliseconds, status, error, answer, detail)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (delivery_id, number) do nothing`,
    [
      claimed.id,
      claimed.number,
      startedAt,
      milliseconds,
      status,
      error,
      answer === null ? null : beginningOf(answer),
      detail ?? null,
    ],
  );
}

/** Characters of the answer that every attempt keeps. */
export const answerKeptMax = 1_024;

/** Cuts an answer without cutting a character in two. */
function beginningOf(answer: string): string {
  return answer.slice(0, answerKeptMax).replace(/[\ud800-\udbff]$/, "");
}

interface Subscriber {
  health: Health;
  state: string;
  succeededAt: number | null;
  /** The reason why the subscriber is to be disabled. */
  reason: string | null;
  changed: boolean;
}

type HealthRow = Pick<
  SubscriberRow,
  "failures" | "failing_since" | "openings" | "open_until" | "succeeded_at" | "state"
>;

function* readStep(tx: Tx, id: string): Step<Subscriber | undefined> {
  const row = yield* tx.one<HealthRow>(
    "select failures, failing_since, openings, open_until, succeeded_at, state from subscriber where id in ($1)",
    [id],
    "update",
  );
  if (!row) return undefined;
  const { failures, failing_since: failingSince, openings, open_until: openUntil } = row;
  const health = { failures, failingSince, openings, openUntil };
  return { health, state: row.state, succeededAt: row.succeeded_at, reason: null, changed: false };
}

/** The time of the last success is stored at most once a second, because only pages show it. */
const succeededMilliseconds = 1_000;

/** Counts an attempt in the health of its subscriber; returns the reason when it disables the subscriber. */
function noteAttempt(subscriber: Subscriber | undefined, attempted: Attempted, now: number): string | undefined {
  if (!subscriber) return undefined;
  const { outcome, startedAt } = attempted;
  if (outcome === "accepted") {
    const noted = subscriber.succeededAt !== null && Math.abs(now - subscriber.succeededAt) < succeededMilliseconds;
    if (noted && subscriber.health.failures === 0) return undefined;
    Object.assign(subscriber, { health: healthy, succeededAt: now, changed: true });
    return undefined;
  }
  // An address that this server refuses says nothing about the receiver's health, but it counts for the time without
  // success.
  subscriber.health = afterFailure(subscriber.health, { startedAt, now });
  subscriber.changed = true;
  const hopeless = isHopeless(subscriber.health, now) ? "no success for 120 hours" : undefined;
  const reason = outcome === "gone" ? "answered 410 Gone" : hopeless;
  if (reason === undefined || subscriber.state === "disabled") return undefined;
  Object.assign(subscriber, { state: "disabled", reason });
  return reason;
}

function* writeStep(tx: Tx, id: string, { health, succeededAt, reason }: Subscriber): Step<void> {
  yield* tx.run(
    `update subscriber set failures = $2, failing_since = $3, openings = $4, open_until = $5, succeeded_at = $6,
       state = case when cast($7 as text) is null then state else 'disabled' end, reason = coalesce($7, reason)
     where id in ($1)`,
    [id, health.failures, health.failingSince, health.openings, health.openUntil, succeededAt, reason],
  );
}

type LeasedRow = Pick<DeliveryRow, "id" | "message_id" | "subscriber_id" | "tries" | "attempts"> & {
  lease: string;
  lease_until: number;
};

const selectLeased = `select id, message_id, subscriber_id, lease, lease_until, tries, attempts from delivery
  where state = 'leased' and `;

/** A lease that names its holder begins with the id of a process, which is 36 characters long. */
const selectAbandoned: Sql = {
  sqlite: `${selectLeased} lease_until <= $1 limit 256`,
  postgres: `${selectLeased} (lease_until <= $1
      or length(lease) > 36 and not exists (select 1 from process where id = left(delivery.lease, 36)))
    limit 256`,
};

/**
 * Settles attempts whose lease has expired, or whose process is gone: nobody knows their result. Each counts as a failed
 * attempt.
 */
export async function settleAbandoned(store: Store, options: SettleOptions & { all: boolean }): Promise<Settled[]> {
  const rows = await store.all<LeasedRow>(selectAbandoned, [options.all ? highest : options.now]);
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
      startedAt: row.lease_until - leaseMilliseconds,
      outcome: "failed",
      milliseconds: null,
      status: null,
      error: "abandoned",
      answer: null,
    }),
  );
  return settle(store, attempts, options);
}
