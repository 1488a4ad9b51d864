import type { Registry } from "prom-client";
import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import Histogram from "prom-client/lib/histogram.js";
import type { DatabaseObserver, LaneCounts } from "../store/postgres/observer.ts";

/** Upper bounds in seconds of what waits for a disk or a database: half a millisecond, up to a disk that hardly answers. */
export const databaseSecondsBuckets = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const;

const reasons = ["conflict", "constraint", "lost", "shared"] as const;
const outcomes = ["stored", "not_stored", "unknown"] as const;

/** Counts what happens on the way to a database. Every counter is there from the start, so that its first step shows. */
export function databaseMetrics(registry: Registry): DatabaseObserver {
  const registers = [registry];
  const reruns = new Counter({
    name: "intake_database_reruns_total",
    help: "Writes that began again: they met another one (conflict), violated a constraint (constraint), lost their connection (lost), or shared a transaction with one that did (shared).",
    labelNames: ["reason"] as const,
    registers,
  });
  for (const reason of reasons) reruns.inc({ reason }, 0);
  const retries = new Counter({
    name: "intake_database_read_retries_total",
    help: "Reads that asked again because their connection was lost.",
    registers,
  });
  const doubts = new Counter({
    name: "intake_database_commits_in_doubt_total",
    help: "Commits whose answer was lost, by what they turned out to be; unknown ones were answered with 503.",
    labelNames: ["outcome"] as const,
    registers,
  });
  for (const outcome of outcomes) doubts.inc({ outcome }, 0);
  const limitSeconds = new Histogram({
    name: "intake_limits_seconds",
    help: "Time to count requests against their limits, which is one round trip to the database.",
    buckets: [...databaseSecondsBuckets],
    registers,
  });
  const limitRequests = new Histogram({
    name: "intake_limits_requests",
    help: "Requests that were counted by one round trip.",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers,
  });
  const factSeconds = new Histogram({
    name: "intake_facts_lag_seconds",
    help: "How long after another process had told of a change this one heard of it, while somebody here waits for changes.",
    buckets: [0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1, 2, 5, 10, 30],
    registers,
  });
  return {
    reran: (reason) => reruns.inc({ reason }),
    readAgain: () => retries.inc(),
    doubted: (outcome) => doubts.inc({ outcome }),
    limited(requests, milliseconds) {
      limitSeconds.observe(milliseconds / 1_000);
      limitRequests.observe(requests);
    },
    heard: (milliseconds) => factSeconds.observe(Math.max(0, milliseconds) / 1_000),
  };
}

/** Gauges of connections by what they are for: writes, reads, and what processes tell each other. */
export function watchLanes(registry: Registry, lanes: () => Record<string, LaneCounts>) {
  new Gauge({
    name: "intake_database_connections",
    help: "Connections to the database by kind (write, read, peers): open, busy; and what waits for one.",
    labelNames: ["kind", "state"] as const,
    registers: [registry],
    collect() {
      for (const [kind, counts] of Object.entries(lanes())) {
        for (const [state, count] of Object.entries(counts)) this.set({ kind, state }, count);
      }
    },
  });
}
