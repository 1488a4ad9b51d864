import { inFlightCap } from "./in-flight-cap.ts";
import { shownOptions } from "./option-values.ts";
import type { ShownOptions } from "./subscriber-options.ts";
import type { CountedSubscriberRow } from "./subscriber-rows.ts";
import { type SubscriberStatus, subscriberStatusOf } from "./subscriber-status.ts";

/** A subscriber as it is shown; pages and lists of the command line pick from it. */
export interface SubscriberView extends ShownOptions {
  id: string;
  /** Its own, or the host of its address. */
  name: string;
  host: string;
  /** Null: every project. */
  projectId: string | null;
  projectName: string | null;
  state: CountedSubscriberRow["state"];
  /** The state, and whether it backs off. */
  subscriberStatus: SubscriberStatus;
  /** Why it is disabled. */
  reason: string | null;
  /** Attempts that failed in a row, over all its deliveries, and since when. */
  failures: number;
  failingSince: string | null;
  lastSuccessAt: string | null;
  /** Deliveries in these states; 10,001 stands for more than 10,000. */
  waiting: number;
  dead: number;
  /** Deliveries that are under way, of so many at once. */
  inFlight: { now: number; max: number };
  /** Until then the secret before the last rotation signs too. */
  previousUntil: string | null;
  createdAt: string;
}

/** `now` in epoch milliseconds. */
export function presentSubscriber(row: CountedSubscriberRow, now: number): SubscriberView {
  const { host } = new URL(row.url);
  const { previous_until: until } = row;
  return {
    id: row.id,
    projectId: row.project_id,
    projectName: row.project_name,
    ...shownOptions(row),
    name: row.name ?? host,
    host,
    state: row.state,
    subscriberStatus: subscriberStatusOf(row, now),
    reason: row.reason,
    failures: row.failures,
    failingSince: moment(row.failing_since),
    lastSuccessAt: moment(row.succeeded_at),
    waiting: row.waiting,
    dead: row.dead,
    inFlight: { now: row.leased, max: inFlightCap },
    previousUntil: until !== null && until > now ? moment(until) : null,
    createdAt: new Date(row.created_at).toISOString(),
  };
}

function moment(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}
