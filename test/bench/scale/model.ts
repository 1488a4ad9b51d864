/** How much there is to do in a second, and how large it is. */
export interface Load {
  tickets: number;
  reports: number;
  /** Of an envelope as it is sent. */
  reportBytes: number;
  /** Attachments for each report, on average. */
  attachments: number;
  attachmentBytes: number;
}

/** What one piece of work costs; where each number comes from stands in `costs.ts`. */
export interface Costs {
  processTicketMicroseconds: number;
  processReportMicroseconds: number;
  databaseTicketMicroseconds: number;
  databaseReportMicroseconds: number;
  /** Of a receipt alone, when many are inserted with one statement. */
  databaseReceiptMicroseconds: number;
  /** Rows and indexes, and as much again in the log. */
  rowBytes: number;
  logFactor: number;
  receiptBytes: number;
  /** Of one PUT: the median, and how many times longer the slowest hundredth takes. */
  putMilliseconds: number;
  putTail: number;
  commitMilliseconds: number;
  /** From a process to the database and back, and how often on the way to an answer. */
  networkMilliseconds: number;
  roundTrips: number;
  /** How many writes a process sends together at most, and how many such groups are on their way. */
  groupWrites: number;
}

/** What there is to run it on. */
export interface Site {
  coresPerProcessMachine: number;
  coresPerDatabase: number;
  /** Bytes a second that a database's disk takes of its log. */
  databaseDiskBytes: number;
  zones: number;
  /** How much of its processors a machine uses at most, so that queues stay short. */
  utilisation: number;
  shards: number;
  segmentBytes: number;
  segmentMilliseconds: number;
}

/** `rows`: all in one PostgreSQL. `shards`: reports by project on several. `segments`: envelopes in object storage first. */
export const steps = ["rows", "shards", "segments"] as const;
export type PlanStep = (typeof steps)[number];

export const failures = ["none", "zone", "failover", "storage"] as const;
export type Failure = (typeof failures)[number];

export interface Sizes {
  processMachines: number;
  /** PostgreSQL servers, each with a synchronous standby, which is not counted. */
  databases: number;
  /** Of their processors and of their disks in use, where the busiest part is the limit. */
  databaseUse: { processor: number; disk: number };
  /** How many times the load these databases carry, and what of them is full first then. */
  carries: { times: number; first: "processor" | "disk" };
  bytesPerDay: { database: number; log: number; storage: number };
  putsPerSecond: number;
}

const secondsPerDay = 86_400;
const million = 1e6;

/** How many machines and bytes a load takes in one step of the plan. */
export function sizesOf(load: Load, costs: Costs, site: Site, step: PlanStep): Sizes {
  const processCores =
    (load.tickets * costs.processTicketMicroseconds + load.reports * costs.processReportMicroseconds) / million;
  const usable = site.coresPerProcessMachine * site.utilisation;
  const databases = step === "rows" ? 1 : site.shards;
  const reportMicroseconds = step === "segments" ? costs.databaseReceiptMicroseconds : costs.databaseReportMicroseconds;
  const databaseCores = (load.tickets * costs.databaseTicketMicroseconds + load.reports * reportMicroseconds) / million;
  const rows = load.tickets * costs.rowBytes;
  const perReport = step === "segments" ? costs.receiptBytes : costs.rowBytes + load.reportBytes;
  const stored = rows + load.reports * perReport;
  const files = load.reports * load.attachments * load.attachmentBytes;
  const envelopes = step === "segments" ? load.reports * load.reportBytes : 0;
  const processor = databaseCores / (databases * site.coresPerDatabase);
  const disk = (stored * costs.logFactor) / (databases * site.databaseDiskBytes);
  const processMachines = withSpareZone(processCores / usable, site.zones);
  const putsPerSecond =
    load.reports * load.attachments + (step === "segments" ? segmentsPerSecond(load, site, processMachines) : 0);
  return {
    processMachines,
    databases,
    databaseUse: { processor, disk },
    carries: {
      times: site.utilisation / Math.max(processor, disk),
      first: processor >= disk ? "processor" : "disk",
    },
    bytesPerDay: {
      database: stored * secondsPerDay,
      log: stored * costs.logFactor * secondsPerDay,
      storage: (files + envelopes) * secondsPerDay,
    },
    putsPerSecond,
  };
}

/** Whole machines, the same number in each zone, of which those of one zone are to spare; two at least. */
export function withSpareZone(machines: number, zones: number): number {
  if (zones < 2) return Math.max(1, Math.ceil(machines));
  return zones * Math.max(1, Math.ceil(machines / (zones - 1)));
}

/** Each process writes a segment once it is full, and after its time at the latest. */
export function segmentsPerSecond(load: Load, site: Site, machines: number): number {
  const full = (load.reports * load.reportBytes) / site.segmentBytes;
  const processes = machines * site.coresPerProcessMachine;
  return Math.max(full, Math.min(processes * (1_000 / site.segmentMilliseconds), load.reports));
}

/**
 * Erlang's C formula: the share of requests that find all of `servers` busy. `offered` is the load in servers, below
 * their number.
 */
export function shareThatWaits(servers: number, offered: number): number {
  if (offered >= servers) return 1;
  let blocked = 1;
  for (let n = 1; n <= servers; n++) blocked = (offered * blocked) / (n + offered * blocked);
  return blocked / (1 - (offered / servers) * (1 - blocked));
}
