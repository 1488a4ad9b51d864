import type { Contestant } from "./contestant.ts";
import { median } from "./median.ts";
import { cpuMicroseconds, residentBytes } from "./process-stats.ts";
import { progress } from "./progress.ts";
import { connections, type Load, type LoadOptions, loadOnce } from "./wrk.ts";

/** Medians of the rounds, sums of the counts. */
export interface Measured {
  name: string;
  requestsPerSecond: number;
  p50Milliseconds: number;
  p99Milliseconds: number;
  refusals: number;
  broken: number;
  cpuMicrosecondsPerRequest: number;
  residentBytes: number;
  /** 2xx seen by wrk, warm-up included. */
  answers: number;
  /** Requests whose answer wrk may not have seen: at most these many rows more than answers. */
  underWayMax: number;
}

const warmUpSeconds = 2;

/** A B C, A B C, …: what the machine does beside it hits all of them alike. */
export async function measureInterleaved(
  contestants: readonly Contestant[],
  { rounds, ...load }: Omit<LoadOptions, "connections"> & { rounds: number },
): Promise<Measured[]> {
  const runs = contestants.map((contestant) => ({ contestant, warmUp: [] as Round[], rounds: [] as Round[] }));
  for (const { contestant, warmUp } of runs) {
    progress(`${contestant.name}: warming up`);
    warmUp.push(await oneRound(contestant, { ...load, seconds: warmUpSeconds }));
  }
  for (let round = 1; round <= rounds; round++) {
    for (const run of runs) {
      const result = await oneRound(run.contestant, load);
      run.rounds.push(result);
      progress(`${run.contestant.name}: round ${round} of ${rounds}, ${result.perSecond.toFixed(0)} requests/s`);
    }
  }
  return runs.map(({ contestant, warmUp, rounds }) => summarise(contestant, warmUp, rounds));
}

interface Round extends Load {
  perSecond: number;
  cpu: number;
  resident: number;
}

async function oneRound(contestant: Contestant, options: LoadOptions): Promise<Round> {
  const { pid } = contestant;
  const before = cpuMicroseconds(pid);
  const load = await loadOnce(contestant, options);
  const requests = load.answers + load.refusals;
  return {
    ...load,
    perSecond: load.answers / load.seconds,
    cpu: (cpuMicroseconds(pid) - before) / requests,
    resident: residentBytes(pid),
  };
}

function summarise({ name }: Contestant, warmUp: Round[], rounds: Round[]): Measured {
  const middle = (of: (round: Round) => number) => median(rounds.map(of));
  const all = [...warmUp, ...rounds];
  const sum = (of: (round: Round) => number) => all.reduce((total, round) => total + of(round), 0);
  return {
    name,
    requestsPerSecond: middle((round) => round.perSecond),
    p50Milliseconds: middle((round) => round.p50Milliseconds),
    p99Milliseconds: middle((round) => round.p99Milliseconds),
    refusals: sum((round) => round.refusals),
    broken: sum((round) => round.broken),
    cpuMicrosecondsPerRequest: middle((round) => round.cpu),
    residentBytes: rounds.at(-1)?.resident ?? 0,
    answers: sum((round) => round.answers),
    underWayMax: connections * all.length + sum((round) => round.broken),
  };
}
