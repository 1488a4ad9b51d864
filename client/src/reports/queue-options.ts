import type { TransportOptions } from "../core/send-with-retries.ts";
import type { PackOptions } from "./pack.ts";
import type { PersistentStore } from "./persistence.ts";

/** Limits of the queue. */
export interface QueueLimits {
  /** How many reports may wait; a further one is dropped (`queue_full`). Default: 200. */
  maxReports?: number | undefined;
  /** How many bytes all waiting reports may have, as they are sent. Default: 20,000,000. */
  maxBytes?: number | undefined;
  /** How long a report may wait, in milliseconds. Default: 43,200,000 (12 h), for which the server certainly recognises repeats. */
  maxAgeMs?: number | undefined;
}

/** Options for the contents of reports and for the queue in which they wait. */
export interface QueueOptions extends PackOptions, TransportOptions {
  /** Keeps waiting reports when the page or process ends: `indexedDbStore()`, `fileStore()`, or `persistent()` around one of your own. Default: memory only. */
  store?: PersistentStore | undefined;
  /** Limits of the queue. */
  queue?: QueueLimits | undefined;
}
