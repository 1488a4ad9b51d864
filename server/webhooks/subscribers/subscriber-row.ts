import type { Row } from "../../core/store.ts";
import type { KindOf, OptionKind, OptionName, subscriberOptions } from "./subscriber-options.ts";

/** What the column of an option holds: lists are JSON, those of choices never null. */
interface StoredByKind extends Record<OptionKind, string | number | null> {
  address: string;
  text: string | null;
  choices: string;
  texts: string | null;
  /** The names; their values are sealed in the column `headers`. */
  headers: string | null;
  integer: number | null;
}

type OptionColumns = {
  [Name in OptionName as (typeof subscriberOptions)[Name]["column"]]: StoredByKind[KindOf<Name>];
};

/** A row of the table `subscriber`. Times are epoch milliseconds. */
export interface SubscriberRow extends Row, OptionColumns {
  id: string;
  /** Null: every project. */
  project_id: string | null;
  /** Names and values of its own headers, sealed. */
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
