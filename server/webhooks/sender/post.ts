import type { Target } from "../addresses/ssrf-guard.ts";
import { Exchange, type ExchangeOptions, type Outcome } from "./exchange.ts";

/** The result of an attempt. */
export interface Posted extends Outcome {
  /** Milliseconds. */
  took: number;
}

/** Connecting may take 5 s, the whole attempt 15 s. */
export type PostRequest = Omit<ExchangeOptions, "connectMs" | "totalMs" | "fresh"> &
  Partial<Pick<ExchangeOptions, "connectMs" | "totalMs">>;

/** Makes one attempt. Whatever the receiver does becomes a result; never throws. */
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
    // Within one attempt a request is sent a second time only when the receiver cannot have seen the first one.
    if (exchange.neverLeft) continue;
    return { ...outcome, took: Math.round(performance.now() - began) };
  }
}
