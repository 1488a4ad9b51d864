import type { Contestant } from "../contestant.ts";
import { cpuMicroseconds } from "../process-stats.ts";
import { progress } from "../progress.ts";
import type { RowCount } from "../row-count.ts";
import { removeFolder } from "../scratch.ts";
import { connections, type Load, loadOnce } from "../wrk.ts";
import { pairsMin } from "./ratio-interval.ts";
import type { Pairs } from "./verdict.ts";
import type { LoadWork } from "./works.ts";

const warmUpSeconds = 3;
const sliceSeconds = 2;
/** To stop both servers and to count their rows. */
const endSeconds = 4;
const settlingSeconds = 1;
const lookMilliseconds = 50;
/** One tick of the clock that processor time is counted in. */
const restingMicroseconds = 10_000;

interface Runner {
  contestant: Contestant;
  warmUp: Load;
  slices: { load: Load; cpuAtStart: number }[];
}

/**
 * Both servers run from start to end, one at a time is loaded: A B, B A, A B, …, an even number of pairs. What a server
 * still does after its slice, such as its search index, counts as processor time of that slice.
 */
export async function measureLoadPairs(
  binaries: { old: string; new: string },
  { load, start, count }: LoadWork,
  seconds: number,
): Promise<{ pairs: Pairs[]; rows: RowCount[] }> {
  const deadline = performance.now() + (seconds - endSeconds) * 1_000;
  const runner = async (name: string, binary: string): Promise<Runner> => {
    const contestant = { ...(await start(binary)), name };
    const warmUp = await loadOnce(contestant, { ...load, seconds: warmUpSeconds });
    await settle(contestant.pid);
    return { contestant, warmUp, slices: [] };
  };
  const [old, fresh] = [await runner("old", binaries.old), await runner("new", binaries.new)];
  for (let longest = 0; old.slices.length < pairsMin || performance.now() + longest < deadline; ) {
    const began = performance.now();
    for (const one of [old, fresh, fresh, old]) await slice(one);
    longest = Math.max(longest, performance.now() - began);
    progress(`${old.slices.length} pairs, ${Math.max(0, (deadline - performance.now()) / 1_000).toFixed(0)} s left`);
  }
  const measured = [samplesOf(old), samplesOf(fresh)] as const;
  const rows: RowCount[] = [];
  for (const { contestant, warmUp, slices } of [old, fresh]) {
    await contestant.stop();
    const loads = [warmUp, ...slices.map((one) => one.load)];
    const sum = (of: (load: Load) => number) => loads.reduce((total, one) => total + of(one), 0);
    const sent = { answers: sum((one) => one.answers), refusals: sum((one) => one.refusals) };
    const underWayMax = connections * loads.length + sum((one) => one.broken);
    rows.push(count(contestant, { name: contestant.name, ...sent, underWayMax }));
    removeFolder(contestant.folder);
  }
  return { pairs: pairsOf(...measured), rows };

  async function slice({ contestant, slices }: Runner) {
    const cpuAtStart = cpuMicroseconds(contestant.pid);
    slices.push({ load: await loadOnce(contestant, { ...load, seconds: sliceSeconds }), cpuAtStart });
    await settle(contestant.pid);
  }
}

/** Until the server rests, so that its later work does not disturb the other one. */
async function settle(pid: number) {
  const patience = performance.now() + settlingSeconds * 1_000;
  let before = cpuMicroseconds(pid);
  while (performance.now() < patience) {
    await Bun.sleep(lookMilliseconds);
    const now = cpuMicroseconds(pid);
    if (now - before < restingMicroseconds) return;
    before = now;
  }
}

interface Sample {
  perSecond: number;
  cpu: number;
  p99: number;
}

/** On a server that still runs: its last slice counts until now, each other until the next. */
function samplesOf({ contestant, slices }: Runner): Sample[] {
  const end = cpuMicroseconds(contestant.pid);
  return slices.map(({ load, cpuAtStart }, i) => ({
    perSecond: load.answers / load.seconds,
    cpu: ((slices[i + 1]?.cpuAtStart ?? end) - cpuAtStart) / (load.answers + load.refusals),
    p99: load.p99Milliseconds,
  }));
}

function pairsOf(old: readonly Sample[], fresh: readonly Sample[]): Pairs[] {
  const pairs = (of: (sample: Sample) => number) => old.map((one, i) => ({ old: of(one), new: of(fresh[i] ?? one) }));
  return [
    { name: "requests/s", digits: 0, better: "higher", judged: true, pairs: pairs((one) => one.perSecond) },
    { name: "CPU µs/request", digits: 1, better: "lower", judged: true, pairs: pairs((one) => one.cpu) },
    { name: "p99 ms", digits: 2, better: "lower", judged: false, pairs: pairs((one) => one.p99) },
  ];
}
