import { expect, test } from "bun:test";
import { costs as costAssumptions, load as loadAssumptions, site as siteAssumptions } from "./costs.ts";
import { latencyOf, queue, type Trouble } from "./latency.ts";
import { type Failure, type PlanStep, segmentsPerSecond, shareThatWaits, sizesOf, withSpareZone } from "./model.ts";
import { simulate } from "./simulate.ts";

const valuesOf = <Name extends string>(group: Record<Name, { value: number }>) =>
  Object.fromEntries(Object.entries<{ value: number }>(group).map(([name, { value }]) => [name, value])) as Record<
    Name,
    number
  >;

const costs = {
  ...valuesOf(costAssumptions),
  ...{ processReportMicroseconds: 1_000, databaseReportMicroseconds: 500, databaseReceiptMicroseconds: 10 },
  ...{ rowBytes: 1_000, logFactor: 2, receiptBytes: 100 },
};
const site = {
  ...valuesOf(siteAssumptions),
  ...{ coresPerProcessMachine: 10, coresPerDatabase: 10, zones: 3, utilisation: 0.5, shards: 4 },
  ...{ databaseDiskBytes: 100e6, segmentBytes: 1e6, segmentMilliseconds: 100 },
};
const load = {
  ...valuesOf(loadAssumptions),
  ...{ tickets: 0, reports: 10_000, reportBytes: 2_000, attachments: 0.1, attachmentBytes: 50_000 },
};
const trouble = (failure: Failure, more: Partial<Trouble> = {}): Trouble => {
  return { failure, failoverSeconds: 1, windowSeconds: 60, slowFactor: 20, ...more };
};
const latency = (step: PlanStep, one: Trouble, given = load) =>
  latencyOf({ load: given, costs, site, step }, sizesOf(given, costs, site, step), one);

test("machines do the work at half of their processors, also without one of three zones", () => {
  // 10,000 × 1 ms = 10 cores, half used: 20 cores, 2 machines; in three zones 1 each.
  expect(sizesOf(load, costs, site, "rows").processMachines).toBe(3);
  expect(sizesOf({ ...load, reports: 100_000 }, costs, site, "rows").processMachines).toBe(30);
  expect([withSpareZone(25.3, 3), withSpareZone(0.1, 3), withSpareZone(3.2, 1)]).toEqual([39, 3, 4]);
});

test("bytes of a day are those of rows, log and objects, by step", () => {
  const day = 86_400 * 10_000;
  expect(sizesOf(load, costs, site, "rows").bytesPerDay).toEqual({
    database: day * 3_000,
    log: day * 6_000,
    storage: day * 5_000,
  });
  expect(sizesOf(load, costs, site, "segments").bytesPerDay).toEqual({
    database: day * 100,
    log: day * 200,
    storage: day * 7_000,
  });
});

test("databases are as full as their processors or their disks, and carry what is left", () => {
  const one = sizesOf(load, costs, site, "rows");
  // 10,000 × 0.5 ms = 5 of 10 cores; 10,000 × 6,000 bytes of 100 MB/s.
  expect(one.databaseUse).toEqual({ processor: 0.5, disk: 0.6 });
  expect(one.carries).toEqual({ times: 0.5 / 0.6, first: "disk" });
  const sharded = sizesOf(load, costs, site, "shards");
  expect(sharded.databases).toBe(4);
  expect(sharded.carries.times).toBeCloseTo(4 * one.carries.times);
  const tickets = sizesOf({ ...load, reports: 0, tickets: 1_000 }, costs, site, "rows");
  expect(tickets.databaseUse.processor).toBeCloseTo((1_000 * costs.databaseTicketMicroseconds) / 1e7);
  const { times } = one.carries;
  const full = sizesOf({ ...load, reports: load.reports * times }, costs, site, "rows");
  expect(full.carries.times).toBeCloseTo(1);
});

test("a segment is put when it is full, or after its time, and never without a report", () => {
  expect(segmentsPerSecond({ ...load, reports: 1e6 }, site, 1)).toBe(2_000);
  expect(segmentsPerSecond(load, site, 3)).toBe(300);
  expect(segmentsPerSecond({ ...load, reports: 5 }, site, 3)).toBe(5);
  expect(sizesOf(load, costs, site, "shards").putsPerSecond).toBe(1_000);
  expect(sizesOf(load, costs, site, "segments").putsPerSecond).toBe(1_300);
});

test("queues wait as Erlang's formula says", () => {
  expect(shareThatWaits(1, 0.7)).toBeCloseTo(0.7);
  expect(shareThatWaits(2, 1)).toBeCloseTo(1 / 3);
  expect(shareThatWaits(10, 8)).toBeCloseTo(0.409, 3);
  expect(shareThatWaits(4, 4)).toBe(1);
  // M/M/1: the wait is ρ / (1 − ρ) times the service.
  expect(queue(1, 0.5, 10).meanWait).toBeCloseTo(10);
});

test("a failure shows in the latency that it is about, the same at every run", () => {
  const well = latency("segments", trouble("none"));
  expect(latency("segments", trouble("none"))).toEqual(well);
  expect(well.refused).toBe(0);
  expect(latency("segments", trouble("storage")).p50Milliseconds).toBeGreaterThan(5 * well.p50Milliseconds);
  expect(latency("segments", trouble("failover")).p99Milliseconds).toBeGreaterThan(well.p99Milliseconds);
  // One report in ten has an attachment.
  const rows = latency("shards", trouble("none"));
  expect(latency("shards", trouble("storage")).p50Milliseconds).toBeLessThan(1.3 * rows.p50Milliseconds);
});

test("in a fail-over those are refused who would wait for more than two seconds", () => {
  const long = latency("shards", trouble("failover", { failoverSeconds: 14 }));
  expect(long.refused).toBeWithin(0.18, 0.22);
  expect(latency("shards", trouble("failover", { failoverSeconds: 2 })).refused).toBe(0);
});

test("what does not fit is refused", () => {
  const twice = { ...load, reports: 20_000 };
  // The disk could take 16,667 a second if it did nothing else.
  expect(latency("rows", trouble("none"), twice).refused).toBeWithin(0.15, 0.19);
  expect(latency("shards", trouble("zone"), twice).refused).toBe(0);
});

test("the question of 100,000 reports a second: one database does not carry it, eight do, with room once envelopes are objects", () => {
  const given = {
    load: valuesOf(loadAssumptions),
    costs: valuesOf(costAssumptions),
    site: valuesOf(siteAssumptions),
    trouble: { failoverSeconds: 1.3, windowSeconds: 60, slowFactor: 20 },
    failures: ["none"] as const,
  };
  const [rows, shards, segments] = simulate({ ...given, steps: ["rows", "shards", "segments"] });
  expect(rows?.carries.times).toBeLessThan(1);
  expect(shards?.carries.times).toBeGreaterThan(1);
  expect(segments?.carries.times).toBeGreaterThan(10);
});

test("the command prints tables, or one object with its assumptions; a wrong word is refused", () => {
  const run = (...args: string[]) => {
    const { exitCode, stdout } = Bun.spawnSync([process.execPath, `${import.meta.dir}/simulate.ts`, ...args]);
    return { exitCode, stdout: stdout.toString() };
  };
  const { load: given, result } = JSON.parse(run("--reports", "500", "--step", "rows", "--json").stdout);
  expect([given.reports, result.length, result[0].latency.length]).toEqual([500, 1, 4]);
  expect(run("--failure", "zone").stdout).toContain("segments, zone");
  expect([run("--step", "none").exitCode, run("--reports", "many").exitCode]).toEqual([2, 2]);
  const help = run("--help").stdout;
  for (const { source } of Object.values({ ...costAssumptions, ...siteAssumptions, ...loadAssumptions })) {
    expect(source).not.toBe("");
    expect(help).toContain(source);
  }
});
