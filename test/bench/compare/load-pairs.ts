import type { Contestant } from "../contestant.ts";
import type { LoadWork, Sent } from "../load-work.ts";
import { cpuMicroseconds } from "../process-stats.ts";
import { progress } from "../progress.ts";
import type { RowCount } from "../row-count.ts";
import { removeFolder } from "../scratch.ts";
import { connections, type Load, loadOnce } from "../wrk.ts";
import { pairsMin } from "./ratio-interval.ts";
import type { Pairs } from "./verdict.ts";

const warmUpSeconds = 3;
const sliceSeconds = 1;
/** To stop both servers and to count their rows. */
const endSeconds = 4;
const restMilliseconds = 100;

interface Runner {
  contestant: Contestant;
  warmUp: Load;
  blocks: { loads: Load[]; cpuMicroseconds: number }[];
}

/**
 * Both servers run from start to end, one at a time is loaded, in blocks of four slices: A B B A, B A A B, … What a
 * server does after its slices, such as its search index, counts as well: processor time is that of the whole block,
 * which is as long for both and holds as many slices of each. A block is one pair.
 */
export async function measureLoadPairs(
  binaries: { old: string; new: string },
  { load, start, count }: LoadWork,
  seconds: number,
): Promise<{ pairs: Pairs[]; rows: RowCount[] }> {
  const deadline = performance.now() + (seconds - endSeconds) * 1_000;
  const runner = async (name: string, binary: string): Promise<Runner> => {
    const contestant = { ...(await start(binary)), name };
    return { contestant, warmUp: await loadOnce(contestant, { ...load, seconds: warmUpSeconds }), blocks: [] };
  };
  const [old, fresh] = [await runner("old", binaries.old), await runner("new", binaries.new)];
  for (let longest = 0; old.blocks.length < pairsMin || performance.now() + longest < deadline; ) {
    const began = performance.now();
    await block(old.blocks.length % 2 === 0 ? [old, fresh] : [fresh, old]);
    longest = Math.max(longest, performance.now() - began);
    progress(`${old.blocks.length} pairs, ${Math.max(0, (deadline - performance.now()) / 1_000).toFixed(0)} s left`);
  }
  const rows: RowCount[] = [];
  for (const one of [old, fresh]) {
    await one.contestant.stop();
    rows.push(count(one.contestant, sentTo(one)));
    removeFolder(one.contestant.folder);
  }
  return { pairs: pairsOf(old, fresh), rows };

  async function block([a, b]: [Runner, Runner]) {
    const before = [a, b].map((one) => ({ one, cpu: cpuMicroseconds(one.contestant.pid), loads: [] as Load[] }));
    for (const turn of [...before, ...before.toReversed()]) {
      turn.loads.push(await loadOnce(turn.one.contestant, { ...load, seconds: sliceSeconds }));
      await Bun.sleep(restMilliseconds);
    }
    for (const { one, cpu, loads } of before) {
      one.blocks.push({ loads, cpuMicroseconds: cpuMicroseconds(one.contestant.pid) - cpu });
    }
  }
}

function sentTo({ contestant, warmUp, blocks }: Runner): Sent {
  const loads = [warmUp, ...blocks.flatMap((block) => block.loads)];
  return {
    name: contestant.name,
    answers: sum(loads, (load) => load.answers),
    refusals: sum(loads, (load) => load.refusals),
    underWayMax: connections * loads.length + sum(loads, (load) => load.broken),
  };
}

function pairsOf(old: Runner, fresh: Runner): Pairs[] {
  const pairs = (of: (block: Runner["blocks"][number]) => number) => {
    const [before, now] = [old, fresh].map(({ blocks }) => blocks.map(of));
    return (before ?? []).map((value, i) => ({ old: value, new: now?.[i] ?? Number.NaN }));
  };
  const answers = (load: Load) => load.answers;
  const rate = pairs(({ loads }) => sum(loads, answers) / sum(loads, (load) => load.seconds));
  const cpu = pairs(({ loads, cpuMicroseconds }) => cpuMicroseconds / sum(loads, answers));
  const p99 = pairs(({ loads }) => sum(loads, (load) => load.p99Milliseconds) / loads.length);
  return [
    { name: "requests/s", digits: 0, better: "higher", judged: true, pairs: rate },
    { name: "CPU µs/request", digits: 1, better: "lower", judged: true, pairs: cpu },
    { name: "p99 ms", digits: 2, better: "lower", judged: false, pairs: p99 },
  ];
}

function sum(loads: readonly Load[], of: (load: Load) => number): number {
  return loads.reduce((total, load) => total + of(load), 0);
}
