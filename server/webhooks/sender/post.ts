import type { Target } from "../addresses/ssrf-guard.ts";
import { Exchange, type ExchangeOptions, type Outcome } from "./exchange.ts";

/** How an attempt went. */
export interface Posted extends Outcome {
  /** Milliseconds. */
  took: number;
}

/** Connecting takes 5 s at most, the whole 15 s. */
export type PostRequest = Omit<ExchangeOptions, "connectMs" | "totalMs" | "fresh"> &
  Partial<Pick<ExchangeOptions, "connectMs" | "totalMs">>;

/** One attempt. Whatever the other side does is an outcome; never throws. */
export async function post(
  target: Target,
  { connectMs = 5_000, totalMs = 15_000, ...request }: PostRequest,
): Promise<Posted> {
  const began = performance.now();
  for (let fresh = false; ; fresh = true) {
    const exchange = new Exchange(target, {
      ...request,
      fresh,
      connectMs,
      totalMs: totalMs + began - performance.now(),
    });
    const outcome = await exchange.outcome;
    // Only what the receiver cannot have seen is sent once more within one attempt.
    if (exchange.neverLeft) continue;
    return { ...outcome, took: Math.round(performance.now() - began) };
  }
}
