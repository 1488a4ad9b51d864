import type { Costs, Load, Site } from "./model.ts";

/** An assumption of the simulation: an option of the command, what it is usually, and where that comes from. */
export interface Assumption {
  value: number;
  unit: string;
  source: string;
}

const fromBench = "bun run bench postgres; docs/scaling.md, What one process costs";
const fromProject = "bun test/bench/processes/measure.ts project";
const fromMeasure = "bun test/bench/scale/measure.ts";
const assumed = "an assumption";

/** Measured on two cores of a shared machine; a core of a machine of its own is faster. */
export const costs: Record<keyof Costs, Assumption> = {
  processTicketMicroseconds: { value: 115, unit: "µs", source: fromBench },
  processReportMicroseconds: { value: 1_216, unit: "µs", source: fromProject },
  databaseTicketMicroseconds: { value: 220, unit: "µs", source: fromBench },
  databaseReportMicroseconds: { value: 993, unit: "µs", source: fromProject },
  databaseReceiptMicroseconds: { value: 9, unit: "µs", source: fromMeasure },
  rowBytes: { value: 2_000, unit: "bytes", source: assumed },
  logFactor: { value: 2, unit: "×", source: assumed },
  receiptBytes: { value: 190, unit: "bytes", source: fromMeasure },
  putMilliseconds: { value: 30, unit: "ms", source: `${assumed} for a bucket of a cloud; 2 ms here: ${fromMeasure}` },
  putTail: { value: 5, unit: "×", source: assumed },
  commitMilliseconds: { value: 2, unit: "ms", source: `${assumed}: a disk over a network and a synchronous standby` },
  networkMilliseconds: { value: 1, unit: "ms", source: `${assumed}: zones of one region` },
  roundTrips: { value: 9, unit: "", source: "a report on PostgreSQL: credential, limits, begin, look-ups, commit" },
  groupWrites: { value: 16, unit: "writes", source: "server/store/postgres/postgres-store.ts" },
};

export const site: Record<keyof Site, Assumption> = {
  coresPerProcessMachine: { value: 8, unit: "", source: assumed },
  coresPerDatabase: { value: 32, unit: "", source: assumed },
  databaseDiskBytes: { value: 500e6, unit: "bytes/s", source: `${assumed}: what a disk takes of the log` },
  zones: { value: 3, unit: "", source: assumed },
  utilisation: { value: 0.6, unit: "", source: `${assumed}: beyond it queues grow` },
  shards: { value: 8, unit: "", source: assumed },
  segmentBytes: { value: 8 * 2 ** 20, unit: "bytes", source: assumed },
  segmentMilliseconds: { value: 100, unit: "ms", source: assumed },
};

export const load: Record<keyof Load, Assumption> = {
  tickets: { value: 0, unit: "/s", source: "the question" },
  reports: { value: 100_000, unit: "/s", source: "the question" },
  reportBytes: { value: 3_000, unit: "bytes", source: "test/bench/ingest/envelope.ts" },
  attachments: { value: 0.05, unit: "a report", source: assumed },
  attachmentBytes: { value: 100_000, unit: "bytes", source: "test/bench/ingest/bodies.ts" },
};

export const trouble = {
  failoverSeconds: { value: 1.3, unit: "s", source: "bun run chaos failover" },
  windowSeconds: { value: 60, unit: "s", source: "the time that is looked at" },
  slowFactor: { value: 20, unit: "×", source: assumed },
} as const satisfies Record<string, Assumption>;
