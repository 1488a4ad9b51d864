import type { Contestant } from "../contestant.ts";
import { names } from "../names.ts";
import { cpuMicroseconds, peakResidentBytes } from "../process-stats.ts";
import { progress } from "../progress.ts";
import { quantile } from "../quantile.ts";
import type { Posts } from "./bare-loop.ts";
import { healthy, type Receivers, sumOf } from "./receiving.ts";
import { sendPaced } from "./send-paced.ts";

const spans = 6;
/** Reports that come in meanwhile. */
export const livePerSecond = 20;
const patienceSeconds = 30;

export interface Drain extends Posts {
  spanSeconds: number;
  /** Deliveries per second, one number for each span of time. */
  rates: number[];
  /** From the 200 to the first POST at one that has no backlog. */
  liveP95Milliseconds: number;
  peakBytes: number;
}

/** How fast the five are sent what waits for them, while reports go on coming to them and to `live`, for whom nothing waits. */
export async function measureDrain(server: Contestant, receivers: Receivers, spanSeconds: number): Promise<Drain> {
  const live = sendPaced(server, { perSecond: livePerSecond, seconds: spanSeconds * spans });
  const cpuBefore = cpuMicroseconds(server.pid);
  const began = performance.now();
  const first = sumOf(await receivers.counts(), healthy);
  let [count, time] = [first, began];
  const rates: number[] = [];
  for (let span = 1; span <= spans; span++) {
    await Bun.sleep(began + span * spanSeconds * 1000 - performance.now());
    const [arrived, now] = [sumOf(await receivers.counts(), healthy), performance.now()];
    rates.push(((arrived - count) * 1000) / (now - time));
    [count, time] = [arrived, now];
    progress(`draining: ${rates.at(-1)?.toFixed(0)} deliveries/s`);
  }
  const cpu = cpuMicroseconds(server.pid) - cpuBefore;
  const peakBytes = peakResidentBytes(server.pid);
  const sent = await live;
  await receivers.when(["live"], sent.length + 1, patienceSeconds);
  const arrivals = (await receivers.arrivals()).get("live");
  const delays = sent.map(({ eventId = "", answeredAt }) => {
    return (arrivals?.get(eventId) ?? Number.POSITIVE_INFINITY) - answeredAt;
  });
  return {
    name: names.intake,
    perSecond: ((count - first) * 1000) / (time - began),
    cpuMicrosecondsPerPost: cpu / (count - first),
    spanSeconds,
    rates,
    liveP95Milliseconds: quantile(delays, 0.95),
    peakBytes,
  };
}
