import { median } from "../median.ts";
import { cpuMicroseconds, peakResidentBytes } from "../process-stats.ts";
import { progress } from "../progress.ts";
import { quantile } from "../quantile.ts";
import type { RowCount } from "../row-count.ts";
import { removeFolder } from "../scratch.ts";
import { healthy, Receivers, sumOf } from "./receiving.ts";
import { countDeliveries } from "./rows.ts";
import { type Sent, sendPaced } from "./send-paced.ts";
import { addSubscriber, startWebhooksServer, webhooksInstallation } from "./servers.ts";

export const perSecond = 500;
/** Not part of the measured time. */
export const warmUpSeconds = 2;
/** For what has not arrived when the last report is answered. */
const patienceSeconds = 60;

const scenarios = {
  five: { name: "five that accept", sixth: undefined },
  hangs: { name: "and one that hangs", sixth: "hangs" },
  fails: { name: "and one that fails", sixth: "fails" },
} as const;
export type ScenarioName = keyof typeof scenarios;

/** Medians of the rounds, of the five alone; peaks, backlog and repeats are those of the worst round. */
export interface Paced {
  scenario: ScenarioName;
  name: string;
  reportsPerSecond: number;
  /** From the moment a report was due to its 200. */
  answerP99Milliseconds: number;
  /** From the 200 to the first POST at a subscriber. */
  p50Milliseconds: number;
  p95Milliseconds: number;
  p99Milliseconds: number;
  /** Deliveries that had not arrived when the last report was answered. */
  backlog: number;
  repeats: number;
  cpuMicrosecondsPerDelivery: number;
  peakBytes: number;
  rows: RowCount[];
}

/** A B C, A B C, …, each round with a server and receivers of its own: what a receiver did before is forgotten. */
export async function measurePaced(
  binary: string,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Paced[]> {
  const names = Object.keys(scenarios) as ScenarioName[];
  const all: Paced[][] = names.map(() => []);
  for (let round = 1; round <= rounds; round++) {
    for (const [i, scenario] of names.entries()) {
      const one = await oneRound(binary, scenario, seconds);
      all[i]?.push(one);
      progress(`${one.name}: round ${round} of ${rounds}, p95 ${one.p95Milliseconds.toFixed(1)} ms`);
    }
  }
  return all.map(summarise);
}

async function oneRound(binary: string, scenario: ScenarioName, seconds: number): Promise<Paced> {
  const { name, sixth } = scenarios[scenario];
  const receivers = await Receivers.start();
  const installation = await webhooksInstallation(binary);
  const paths = sixth === undefined ? healthy : [...healthy, sixth];
  for (const path of paths) await addSubscriber(binary, installation, await receivers.addressOf(path));
  const server = await startWebhooksServer(name, installation);
  const cpuBefore = cpuMicroseconds(server.pid);
  const sent = await sendPaced(server, { perSecond, seconds: warmUpSeconds + seconds });
  const answers = sent.filter(({ eventId }) => eventId !== undefined).length;
  const owed = answers * healthy.length;
  const backlog = owed - sumOf(await receivers.counts(), healthy);
  await receivers.when(healthy, owed, patienceSeconds);
  const cpu = cpuMicroseconds(server.pid) - cpuBefore;
  const peakBytes = peakResidentBytes(server.pid);
  await server.stop();
  const counts = await receivers.counts();
  const arrivals = await receivers.arrivals();
  await receivers.stop();
  const arrived = sumOf(counts, healthy);
  const rows = countDeliveries(server.database, {
    name,
    answers,
    refusals: sent.length - answers,
    subscribers: paths.length,
    healthy: healthy.length,
    arrived,
  });
  removeFolder(server.folder);
  const measured = sent.slice(perSecond * warmUpSeconds);
  const delays = measured.flatMap(({ eventId = "", answeredAt }) =>
    healthy.map((path) => (arrivals.get(path)?.get(eventId) ?? Number.POSITIVE_INFINITY) - answeredAt),
  );
  return {
    scenario,
    name,
    reportsPerSecond: rateOf(measured),
    answerP99Milliseconds: quantile(
      measured.map(({ milliseconds }) => milliseconds),
      0.99,
    ),
    p50Milliseconds: quantile(delays, 0.5),
    p95Milliseconds: quantile(delays, 0.95),
    p99Milliseconds: quantile(delays, 0.99),
    backlog,
    repeats: sixth === undefined ? (counts["repeats"] ?? 0) : 0,
    cpuMicrosecondsPerDelivery: cpu / arrived,
    peakBytes,
    rows: [rows],
  };
}

function rateOf(sent: readonly Sent[]): number {
  const times = sent.flatMap(({ eventId, answeredAt }) => (eventId === undefined ? [] : [answeredAt]));
  return (times.length * 1000) / (Math.max(...times) - Math.min(...times));
}

function summarise(rounds: readonly Paced[]): Paced {
  const [first] = rounds;
  if (!first) throw new Error("the webhooks were not measured");
  const middle = (of: (one: Paced) => number) => median(rounds.map(of));
  const worst = (of: (one: Paced) => number) => Math.max(...rounds.map(of));
  return {
    ...first,
    reportsPerSecond: middle((one) => one.reportsPerSecond),
    answerP99Milliseconds: middle((one) => one.answerP99Milliseconds),
    p50Milliseconds: middle((one) => one.p50Milliseconds),
    p95Milliseconds: middle((one) => one.p95Milliseconds),
    p99Milliseconds: middle((one) => one.p99Milliseconds),
    backlog: worst((one) => one.backlog),
    repeats: worst((one) => one.repeats),
    cpuMicrosecondsPerDelivery: middle((one) => one.cpuMicrosecondsPerDelivery),
    peakBytes: worst((one) => one.peakBytes),
    rows: rounds.flatMap(({ rows }) => rows),
  };
}
