import { expect, test } from "bun:test";
import { type FaultReport, runFaults } from "./chaos/run-faults.ts";

const failures = ({ faults, lost, doubled }: FaultReport) => ({ faults, lost, doubled });

test("a fail-over to a standby loses nothing that was acknowledged", async () => {
  const report = await runFaults({ fault: "failover", rounds: 1, processes: 2, seed: 1, progress: () => {} });
  expect(failures(report)).toEqual({ faults: [], lost: 0, doubled: 0 });
  expect(report.acknowledged.tickets).toBeGreaterThan(5);
}, 180_000);
