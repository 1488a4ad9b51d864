import { api, done } from "../../core/api.ts";
import { whole } from "../../core/format.ts";
import { day, span } from "../../core/time.ts";
import type { IconName } from "../../parts/icon.tsx";

export type Listed = Awaited<ReturnType<typeof listSubscribers>>["items"][number];
export type Subscriber = Awaited<ReturnType<typeof showSubscriber>>;
export type Delivery = Awaited<ReturnType<typeof listDeliveries>>["items"][number];
export type DeliveryDetail = Awaited<ReturnType<typeof showDelivery>>;
type Hour = Subscriber["hours"][number];

export function listSubscribers(cursor: string | undefined) {
  return done(api.subscribers.get({ query: { cursor } }));
}

export function showSubscriber(id: string) {
  return unlessRemoved(id, () => done(api.subscribers({ id }).get()));
}

export function listDeliveries(id: string, query: Record<string, string | undefined>) {
  return unlessRemoved(id, () => done(api.subscribers({ id }).deliveries.get({ query })));
}

const removing = new Set<string>();

/** Removes a subscriber. Its page is told of the change before the answer comes, and must not load it again then. */
export async function removeSubscriber(id: string): Promise<void> {
  removing.add(id);
  try {
    await done(api.subscribers({ id }).delete());
  } catch (error) {
    removing.delete(id);
    throw error;
  }
}

/** Never resolves for a subscriber that is being removed: its page is left in a moment. */
function unlessRemoved<T>(id: string, load: () => Promise<T>): Promise<T> {
  return removing.has(id) ? new Promise(() => {}) : load();
}

export function showDelivery(id: string, delivery: string) {
  return done(api.subscribers({ id }).deliveries({ delivery }).get());
}

export const statusLooks: Record<Listed["subscriberStatus"], { text: string; tone: string; icon: IconName }> = {
  active: { text: "Active", tone: "ok", icon: "check" },
  backing_off: { text: "Backing off", tone: "warn", icon: "alert" },
  paused: { text: "Paused", tone: "", icon: "pause" },
  disabled: { text: "Disabled", tone: "err", icon: "x" },
};

/** Why an attempt did not succeed. */
const faults: Record<string, string> = {
  connection: "no connection came about, or it ended before an answer",
  tls: "the certificate or handshake failed",
  timeout: "no answer within 15 s",
  too_slow: "the answer began and did not end in time",
  bad_answer: "the answer was not HTTP, or ended too early",
  redirect: "answered with a redirect, which is not followed",
  gone: "answered 410: the receiver wants no more",
  status: "answered, not accepted",
  stopped: "the server stopped",
  abandoned: "the sender stopped mid-flight; may have arrived",
  removed: "the report was deleted meanwhile",
  bad_url: "the address is not one that can be sent to",
  forbidden_address: "the address leads where sending is not permitted",
  unresolved: "the name of the address could not be resolved",
};

export function faultWords(error: string | null): string {
  return error === null ? "accepted" : (faults[error] ?? error);
}

/** The status of the answer ("500"), or one word for why there is none. */
export function outcomeWord({ status, error }: { status: number | null; error: string | null }): string {
  return status === null ? (error ?? "").replaceAll("_", " ") : String(status);
}

/** "in 18 m", "due now" */
export function inWords(time: string, now: number): string {
  const left = Date.parse(time) - now;
  return left < 1_000 ? "due now" : `in ${span(left)}`;
}

/** "26 Nov at 13:33", in the reader's zone. */
export function whenWords(time: string): string {
  const clock = new Date(time).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  return `${day(time)} at ${clock}`;
}

/** The time since the first attempt: "5 s", "35 m", "2.6 h". */
export function offsetWords(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3_600 ? `${Math.round(seconds / 60)} m` : `${(seconds / 3_600).toFixed(1)} h`;
}

/** "94"; "10,000+" when more are not counted. */
export function countWords(count: number): string {
  return count > countedMax ? `${whole(countedMax)}+` : whole(count);
}

const countedMax = 10_000;

export function attemptsIn(hours: readonly Hour[]): number {
  return hours.reduce((sum, { accepted, failed }) => sum + accepted + failed, 0);
}

/** The share of accepted attempts in the last 48 hours: "98.1 %"; undefined when there were none. */
export function successOf(hours: readonly Hour[]): string | undefined {
  const all = attemptsIn(hours);
  const accepted = hours.reduce((sum, hour) => sum + hour.accepted, 0);
  if (all === 0) return undefined;
  // Less than all attempts is never shown as 100 %.
  const hundredths = accepted === all ? 100 : Math.min(99.9, (accepted / all) * 100);
  return `${hundredths.toFixed(1).replace(/\.0$/, "")} %`;
}
