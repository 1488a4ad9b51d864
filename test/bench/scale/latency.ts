import { type Costs, type Failure, type Load, type PlanStep, type Site, type Sizes, shareThatWaits } from "./model.ts";

/** A failure, and how it is drawn. */
export interface Trouble {
  failure: Failure;
  /** How long no database takes writes in a fail-over, and the time around it that is looked at. */
  failoverSeconds: number;
  windowSeconds: number;
  /** How many times longer a PUT takes while object storage is slow. */
  slowFactor: number;
}

interface Latency {
  p50Milliseconds: number;
  p99Milliseconds: number;
  /** The share that is answered with 503, to be sent again. */
  refused: number;
}

/** A request waits so long for a database that is away; then the answer is 503. */
const patienceMilliseconds = 2_000;
/** After so long a PUT is given up, with its tries. */
const putPatienceMilliseconds = 20_000;
const samples = 20_000;

/** Draws reports, one after the other, through all that they wait for. The same `seed` gives the same numbers. */
export function latencyOf(
  { load, costs, site, step }: { load: Load; costs: Costs; site: Site; step: PlanStep },
  sizes: Sizes,
  trouble: Trouble,
  seed = 1,
): Latency {
  const random = randomOf(seed);
  const machines = sizes.processMachines * (trouble.failure === "zone" ? (site.zones - 1) / site.zones : 1);
  const cores = Math.round(machines * site.coresPerProcessMachine);
  const micros = load.reports > 0 ? costs.processReportMicroseconds : costs.processTicketMicroseconds;
  const work = (load.tickets * costs.processTicketMicroseconds + load.reports * costs.processReportMicroseconds) / 1e6;
  const process = queue(cores, work, micros / 1_000);
  const used = Math.max(sizes.databaseUse.processor, sizes.databaseUse.disk);
  // A group is one piece of work for the database.
  const database = queue(
    site.coresPerDatabase,
    used * site.coresPerDatabase,
    (costs.groupWrites * databaseMicroseconds(load, costs, step)) / 1_000,
  );
  const overloaded = 1 - Math.min(1, cores / work, 1 / used);
  const times: number[] = [];
  let refused = 0;
  for (let i = 0; i < samples; i++) {
    if (random() < overloaded) {
      refused++;
      continue;
    }
    let milliseconds = process.draw(random) + costs.networkMilliseconds * costs.roundTrips + database.draw(random);
    milliseconds += costs.commitMilliseconds * -Math.log(1 - random());
    const puts = step === "segments" || random() < load.attachments;
    if (puts) {
      const put = putTime(costs, random) * (trouble.failure === "storage" ? trouble.slowFactor : 1);
      // A segment is closed after its time: a report comes at any moment of it.
      milliseconds += put + (step === "segments" ? random() * site.segmentMilliseconds : 0);
      if (put > putPatienceMilliseconds) {
        refused++;
        continue;
      }
    }
    const wait = outage(trouble, random);
    if (wait > patienceMilliseconds) refused++;
    else times.push(milliseconds + wait);
  }
  times.sort((one, other) => one - other);
  return {
    p50Milliseconds: quantile(times, 0.5),
    p99Milliseconds: quantile(times, 0.99),
    refused: refused / samples,
  };
}

function databaseMicroseconds(load: Load, costs: Costs, step: PlanStep): number {
  if (load.reports === 0) return costs.databaseTicketMicroseconds;
  return step === "segments" ? costs.databaseReceiptMicroseconds : costs.databaseReportMicroseconds;
}

/** Of the window around a fail-over, requests of its first part wait for its end. */
function outage({ failure, failoverSeconds, windowSeconds }: Trouble, random: () => number): number {
  if (failure !== "failover") return 0;
  return Math.max(0, failoverSeconds - random() * windowSeconds) * 1_000;
}

/** So that the slowest hundredth takes `putTail` times as long as the median: a log-normal distribution. */
function putTime({ putMilliseconds, putTail }: Costs, random: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return putMilliseconds * Math.exp((Math.log(putTail) / 2.326) * normal);
}

/** A queue of many servers (M/M/c): a piece of work waits with the probability of Erlang's C, and then exponentially. */
export function queue(servers: number, offered: number, serviceMilliseconds: number) {
  const busy = Math.min(offered, servers * 0.999);
  const waits = shareThatWaits(servers, busy);
  const meanWait = serviceMilliseconds / (servers - busy);
  return {
    /** Of those that wait and those that do not. */
    meanWait: waits * meanWait,
    draw(random: () => number): number {
      const wait = random() < waits ? -Math.log(1 - random()) * meanWait : 0;
      return wait - Math.log(1 - random()) * serviceMilliseconds;
    },
  };
}

export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Mulberry32: small, and the same everywhere. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
