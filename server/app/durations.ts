import type { Registry } from "prom-client";

/** Upper bounds in seconds. A runner's claim waits up to 30 s, and an upload may take minutes. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Classes of status: 1xx to 5xx. */
const classes = 5;
const name = "intake_request_duration_seconds";

/** The durations of one route and class of status. */
interface Series {
  /** Answers in each bucket, not cumulative; the last bucket holds those beyond all bounds. */
  counts: Float64Array;
  sum: number;
}

/**
 * How long answers took, by route and class of status. Written by hand, because every request passes here: a Histogram
 * of prom-client takes more than a microsecond for each value, this takes a twentieth of that. Routes are a closed set.
 */
export class Durations {
  readonly #routes = new Map<string, (Series | undefined)[]>();

  constructor(registry: Registry) {
    const metric = {
      name,
      help,
      type: "histogram",
      aggregator: "sum",
      get: async () => ({ ...metric, values: this.#values() }),
    };
    // The registry of prom-client reads no other member of a metric, although its type declares more.
    registry.registerMetric(metric as unknown as Parameters<Registry["registerMetric"]>[0]);
  }

  observe(route: string, status: number, seconds: number) {
    let series = this.#routes.get(route);
    if (series === undefined) {
      series = new Array<Series | undefined>(classes);
      this.#routes.set(route, series);
    }
    const at = Math.min(classes, Math.floor(status / 100)) - 1;
    let one = series[at];
    if (one === undefined) {
      one = { counts: new Float64Array(bounds.length + 1), sum: 0 };
      series[at] = one;
    }
    let bucket = 0;
    while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket++;
    (one.counts[bucket] as number)++;
    one.sum += seconds;
  }

  #values() {
    const values: { metricName: string; labels: Record<string, string | number>; value: number }[] = [];
    for (const [route, series] of this.#routes) {
      for (const [at, one] of series.entries()) {
        if (one === undefined) continue;
        const labels = { route, status_class: `${at + 1}xx` };
        let count = 0;
        for (const [i, bucket] of one.counts.entries()) {
          count += bucket;
          values.push({ metricName: `${name}_bucket`, labels: { le: bounds[i] ?? "+Inf", ...labels }, value: count });
        }
        values.push({ metricName: `${name}_sum`, labels, value: one.sum });
        values.push({ metricName: `${name}_count`, labels, value: count });
      }
    }
    return values;
  }
}

const help = "Time from the head of a request to its answer, by route and class of status.";
