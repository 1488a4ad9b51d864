import { freshInstallation, type Installation } from "../intake.ts";
import { median } from "../median.ts";
import { residentBytes } from "../process-stats.ts";
import { progress } from "../progress.ts";
import { removeFolder } from "../scratch.ts";
import { idleMilliseconds, type Started, startOnce } from "../start-time.ts";
import { pairsMin } from "./ratio-interval.ts";
import type { Pairs } from "./verdict.ts";

/** Their median is the pair's. */
const startsPerPair = 3;

interface Runner {
  installation: Installation;
  startMilliseconds: number[];
  idleBytes: number[];
}

/** Each starts on a migrated database of its own, in turns; then both idle beside each other. */
export async function measureIdlePairs(binaries: { old: string; new: string }, seconds: number): Promise<Pairs[]> {
  const deadline = performance.now() + seconds * 1_000;
  const runner = async (binary: string): Promise<Runner> => {
    return { installation: await freshInstallation(binary), startMilliseconds: [], idleBytes: [] };
  };
  const [old, fresh] = [await runner(binaries.old), await runner(binaries.new)];
  for (let longest = 0; old.idleBytes.length < pairsMin || performance.now() + longest < deadline; ) {
    const began = performance.now();
    await onePair([old, fresh]);
    await onePair([fresh, old]);
    longest = Math.max(longest, performance.now() - began);
    progress(`${old.idleBytes.length} pairs, ${Math.max(0, (deadline - performance.now()) / 1_000).toFixed(0)} s left`);
  }
  for (const { installation } of [old, fresh]) removeFolder(installation.folder);
  const pairs = (of: (runner: Runner) => number[]) => {
    return of(old).map((one, i) => ({ old: one, new: of(fresh)[i] ?? Number.NaN }));
  };
  const megabytes = ({ idleBytes }: Runner) => idleBytes.map((bytes) => bytes / 2 ** 20);
  return [
    { name: "start ms", digits: 1, better: "lower", judged: true, pairs: pairs((one) => one.startMilliseconds) },
    { name: "idle RSS MB", digits: 1, better: "lower", judged: true, pairs: pairs(megabytes) },
  ];
}

async function onePair(runners: readonly Runner[]) {
  const times = runners.map(() => [] as number[]);
  const idle: Started[] = [];
  for (let start = 1; start <= startsPerPair; start++) {
    for (const [i, { installation }] of runners.entries()) {
      const started = await startOnce(installation.serve, installation.log);
      times[i]?.push(started.milliseconds);
      if (start === startsPerPair) idle.push(started);
      else await started.stop();
    }
  }
  await Bun.sleep(idleMilliseconds);
  for (const [i, { startMilliseconds, idleBytes }] of runners.entries()) {
    startMilliseconds.push(median(times[i] ?? []));
    idleBytes.push(residentBytes(idle[i]?.pid ?? 0));
  }
  for (const { stop } of idle) await stop();
}
