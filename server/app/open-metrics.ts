import { log } from "../core/log.ts";
import { listenMetrics } from "../http/metrics.ts";
import { PortInUse } from "../http/serve.ts";
import type { Metrics } from "./metrics.ts";

/** Where metrics are served. Undefined: 127.0.0.1:9464, and nowhere when that port is in use. */
export type MetricsAddress = { hostname: string; port: number } | "off" | undefined;

const usual = { hostname: "127.0.0.1", port: 9464 };

export function openMetrics(metrics: Metrics, address: MetricsAddress): ReturnType<typeof listenMetrics> | undefined {
  if (address === "off") return undefined;
  try {
    return listenMetrics(metrics, address ?? usual);
  } catch (error) {
    if (address !== undefined || !(error instanceof PortInUse)) throw error;
    log.warn("no metrics: 127.0.0.1:9464 is in use; choose another address with --metrics");
    return undefined;
  }
}
