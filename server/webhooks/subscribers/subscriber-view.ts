import { type ShownFields, shownFields } from "../../core/fields.ts";
import { isoTime } from "../../core/iso-time.ts";
import { inFlightCap } from "./in-flight-cap.ts";
import { type SubscriberFields, subscriberFields } from "./subscriber-fields.ts";
import { listOf } from "./subscriber-row.ts";
import type { CountedSubscriberRow } from "./subscriber-rows.ts";
import { type SubscriberStatus, subscriberStatusOf } from "./subscriber-status.ts";

/** A subscriber as it is shown; pages and the command line pick members from it. */
export interface SubscriberView extends ShownFields<SubscriberFields> {
  id: string;
  /** The name that it was given, or the host of its address. */
  name: string;
  host: string;
  /** Null for every project. */
  projectId: string | null;
  projectName: string | null;
  /** Names of the subscriber's own headers; their values are never shown. */
  headers: string[];
  state: CountedSubscriberRow["state"];
  /** The state, or that the subscriber backs off. */
  subscriberStatus: SubscriberStatus;
  /** The reason why the subscriber is disabled. */
  reason: string | null;
  /** Attempts that failed in a row, over all its deliveries, and since when. */
  failures: number;
  failingSince: string | null;
  lastSuccessAt: string | null;
  /** Deliveries in these states; 10,001 stands for more than 10,000. */
  waiting: number;
  dead: number;
  /** Deliveries in flight, and how many may be at once. */
  inFlight: { now: number; max: number };
  /** The time until which the former secret signs too. */
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
    ...shownFields(subscriberFields, row),
    name: row.name ?? host,
    headers: listOf(row.header_names),
    host,
    state: row.state,
    subscriberStatus: subscriberStatusOf(row, now),
    reason: row.reason,
    failures: row.failures,
    failingSince: isoTime(row.failing_since),
    lastSuccessAt: isoTime(row.succeeded_at),
    waiting: row.waiting,
    dead: row.dead,
    inFlight: { now: row.leased, max: inFlightCap },
    previousUntil: until !== null && until > now ? isoTime(until) : null,
    createdAt: isoTime(row.created_at),
  };
}
