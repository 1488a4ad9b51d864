import type { FieldRow } from "../../core/fields.ts";
import type { Row } from "../../core/store.ts";
import type { SubscriberFields } from "./subscriber-fields.ts";

/** A row of the table `subscriber`. Times are epoch milliseconds. */
export interface SubscriberRow extends Row, FieldRow<SubscriberFields> {
  id: string;
  /** Null for every project. */
  project_id: string | null;
  /** A JSON list; never null, because a subscriber asks for at least one type. */
  event_types: string;
  /** A JSON list of the names of the subscriber's own headers; null without any. */
  header_names: string | null;
  /** Names and values of these headers, sealed; null also when the key that sealed them is lost. */
  headers: Uint8Array | null;
  /** The sealed secret; empty when the key that sealed it is lost. */
  secret: Uint8Array;
  /** The former secret, which signs too until `previous_until`. */
  previous_secret: Uint8Array | null;
  previous_until: number | null;
  state: "active" | "paused" | "disabled";
  /** The reason why the subscriber is disabled. */
  reason: string | null;
  /** Attempts that failed in a row, over all its deliveries, and since when. */
  failures: number;
  failing_since: number | null;
  succeeded_at: number | null;
  /** How often in a row the breaker has opened, and the time until which nothing is sent. */
  openings: number;
  open_until: number | null;
  created_at: number;
}

/** Reads a list from a column of a subscriber: JSON, or null when the list is empty. */
export function listOf(json: string | null): string[] {
  return json === null ? [] : (JSON.parse(json) as string[]);
}
