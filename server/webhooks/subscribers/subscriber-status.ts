import { roomOf } from "./breaker.ts";

/** The state of a subscriber, or that it backs off, in one word for people. */
export type SubscriberStatus = "active" | "backing_off" | "paused" | "disabled";

export function subscriberStatusOf(
  { state, failures, open_until: openUntil }: { state: string; failures: number; open_until: number | null },
  now: number,
): SubscriberStatus {
  if (state !== "active") return state as SubscriberStatus;
  return roomOf({ failures, openUntil }, { now, cap: 2 }) < 2 ? "backing_off" : "active";
}
