import type { Arrived, FaultRecord } from "../fault-script.ts";
import { equal, ok, within } from "./check.ts";

/**
 * The client decided to wait once, for exactly these milliseconds, and its second request came no earlier. How much
 * later it came depends on how busy the machine is.
 */
export function waited({ requests: [first, second] }: FaultRecord, decided: readonly number[], milliseconds: number) {
  equal(decided, [milliseconds], "the waits");
  const passed = (second?.at ?? 0) - (first?.at ?? 0);
  // Timers of some platforms fire a little early.
  ok(passed >= milliseconds - 50, `the second try came after ${passed} ms, not ${milliseconds}`);
}

/** Exactly one ticket was created, with the same key and the same bytes on every try. */
export function oneTicket({ requests, stored }: FaultRecord, tries: number) {
  equal(stored, 1, "tickets made");
  sameOnEveryTry(requests, tries);
}

export function sameOnEveryTry(requests: FaultRecord["requests"], tries: number) {
  equal(requests.length, tries, "tries");
  equal(new Set(requests.map(({ headers }) => headers["idempotency-key"])).size, 1, "keys");
  within(new Set(requests.filter(({ body }) => body).map(({ body }) => body)).size, 0, 1, "different bodies");
}

/** Every try sent the same bytes: the boundary, the compressed envelope and the id in it. */
export function sameBytes(requests: readonly Arrived[], tries: number) {
  equal(requests.length, tries, "tries");
  const whole = requests.filter(({ body }) => body);
  within(new Set(whole.map(({ body }) => body)).size, 0, 1, "different bodies");
  within(new Set(whole.map(({ headers }) => headers["content-type"])).size, 0, 1, "different boundaries");
}
