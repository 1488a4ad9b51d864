/** Whether a request is within its limit. */
export interface Verdict {
  admitted: boolean;
  limit: number;
  /** Requests left after this one. */
  remaining: number;
  /**
   * Whole seconds, rounded up, until the oldest counted request leaves the window; when refused, until one is admitted.
   */
  seconds: number;
  /** When the request was counted, by the limiter's clock; {@link Limiter.giveBack} needs it. */
  at: number;
}

/**
 * Admits at most `limit` requests of one id in every span of 60 s, wherever it starts. A refused request is not counted,
 * so a request that waits the seconds of its verdict is admitted.
 */
export interface Limiter {
  take(id: string, limit: number): Verdict | Promise<Verdict>;
  /**
   * Uncounts a request that was admitted here and refused by another limit. Wait for it before the answer, so that the
   * sender's next request finds it uncounted.
   */
  giveBack(id: string, verdict: Verdict): void | Promise<void>;
}

/** What the limits per minute count by: each has ids of its own. */
export type LimitKind = "credential" | "runner" | "address" | "sign-in" | "stranger";

export type Limits = (kind: LimitKind) => Limiter;

/** Rounds a wait up to whole seconds; it is never 0. */
export function wholeSeconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1_000));
}
