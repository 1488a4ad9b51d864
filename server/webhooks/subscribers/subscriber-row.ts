import type { FieldRow } from "../../core/fields.ts";
import type { Row } from "../../core/store.ts";
import type { SubscriberFields } from "./subscriber-fields.ts";

/** A row of the table `subscriber`. Times are epoch milliseconds. */
export interface SubscriberRow extends Row, FieldRow<SubscriberFields> {
  id: string;
  /** Null: every project. */
  project_id: string | null;
  /** JSON; never null, because a subscriber is told of something. */
  event_types: string;
  /** JSON of the names of its own headers; null when it has none. */
  header_names: string | null;
  /** Names and values of these headers, sealed; null also when the key that sealed them is lost. */
  headers: Uint8Array | null;
  /** Sealed; empty when the key that sealed it is lost. */
  secret: Uint8Array;
  /** Signs too until `previous_until`. */
  previous_secret: Uint8Array | null;
  previous_until: number | null;
  state: "active" | "paused" | "disabled";
  /** Why it is disabled. */
  reason: string | null;
  /** Attempts that failed in a row, over all its deliveries, and since when. */
  failures: number;
  failing_since: number | null;
  succeeded_at: number | null;
  /** How often in a row its breaker has opened, and until when nothing is sent. */
  openings: number;
  open_until: number | null;
  created_at: number;
}

/** A list as a column of a subscriber holds it: JSON, or null when it is empty. */
export function listOf(json: string | null): string[] {
  return json === null ? [] : (JSON.parse(json) as string[]);
}
