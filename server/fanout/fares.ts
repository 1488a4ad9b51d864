import { roomOf } from "./breaker.ts";

/** How a subscriber is doing, in one word for people. */
export type Fares = "active" | "backing_off" | "paused" | "disabled";

export function faresOf(
  { state, failures, open_until: openUntil }: { state: string; failures: number; open_until: number | null },
  now: number,
): Fares {
  if (state !== "active") return state as Fares;
  return roomOf({ failures, openUntil }, { now, cap: 2 }) < 2 ? "backing_off" : "active";
}
