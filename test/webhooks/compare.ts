import { expect } from "bun:test";
import type { Installation } from "../support/installation.ts";
import type { Model } from "./model.ts";

/** The store holds what the model says, and every attempt that was settled has its row, numbered without a gap. */
export async function compare(model: Model, { ctx: { store } }: Installation): Promise<void> {
  const subscribers = await store.all(
    "select id, state, reason, failures, failing_since, openings, open_until from subscriber order by id",
  );
  expect(subscribers).toEqual(
    inOrder(model.subscribers).map(({ id, state, reason, health }) => ({
      id,
      state,
      reason,
      failures: health.failures,
      failing_since: health.failingSince,
      openings: health.openings,
      open_until: health.openUntil,
    })),
  );
  const deliveries = await store.all(
    "select id, state, tries, attempts, next_at, lease, lease_until, ended_at from delivery order by id",
  );
  const attempts = await store.all("select delivery_id, number, error from attempt order by delivery_id, number");
  const ofDelivery = Map.groupBy(attempts, (attempt) => attempt.delivery_id);
  expect<unknown>(
    deliveries.map((row) => ({ ...row, list: (ofDelivery.get(row.id) ?? []).map((one) => [one.number, one.error]) })),
  ).toEqual(
    inOrder(model.deliveries).map((one) => ({
      id: one.id,
      state: one.state,
      tries: one.tries,
      attempts: one.attempts.length,
      next_at: one.nextAt,
      lease: one.lease,
      lease_until: one.leaseUntil,
      ended_at: one.endedAt,
      list: one.attempts.map((error, i) => [i + 1, error]),
    })),
  );
  const strays = await store.all(
    `select id from message where id not in (select message_id from delivery)
     union all select delivery_id from attempt where delivery_id not in (select id from delivery)`,
  );
  expect(strays).toEqual([]);
}

function inOrder<T>(all: ReadonlyMap<string, T>): T[] {
  return [...all].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}
