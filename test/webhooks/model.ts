import { expect } from "bun:test";
import { type Claimed, leaseMilliseconds } from "../../server/webhooks/deliveries/claim.ts";
import type { Attempted, SettleOptions } from "../../server/webhooks/deliveries/settle.ts";
import { afterFailure, type Health, healthy, isHopeless, roomOf } from "../../server/webhooks/subscribers/breaker.ts";
import { inFlightCap } from "../../server/webhooks/subscribers/in-flight-cap.ts";
import { waitAfter } from "../../server/webhooks/subscribers/retry-schedule.ts";

interface ModelSubscriber {
  id: string;
  state: "active" | "paused" | "disabled";
  reason: string | null;
  health: Health;
}

interface ModelDelivery {
  id: string;
  subscriberId: string;
  messageId: string;
  state: "waiting" | "leased" | "delivered" | "dead";
  tries: number;
  nextAt: number;
  lease: string | null;
  leaseUntil: number | null;
  endedAt: number | null;
  /** What each attempt came to; null: it was accepted. */
  attempts: (string | null)[];
}

/** What the contract says of deliveries, over plain objects. */
export class Model {
  now = Date.UTC(2026, 4, 1);
  readonly subscribers = new Map<string, ModelSubscriber>();
  readonly deliveries = new Map<string, ModelDelivery>();
  /** What somebody believes to have, also when it was taken from them. */
  readonly held: Claimed[] = [];

  add(id: string) {
    this.subscribers.set(id, { id, state: "active", reason: null, health: healthy });
  }

  wanting(): string[] {
    return [...this.subscribers.values()].filter(({ state }) => state !== "disabled").map(({ id }) => id);
  }

  tell(messageId: string, rows: readonly { id: string; subscriberId: string }[]) {
    expect(rows.map(({ subscriberId }) => subscriberId).toSorted()).toEqual(this.wanting().toSorted());
    const fresh = { messageId, state: "waiting", tries: 0, nextAt: this.now, ...released, endedAt: null } as const;
    for (const row of rows) this.deliveries.set(row.id, { ...row, ...fresh, attempts: [] });
  }

  /** Which ones are taken is the store's choice, within these bounds. */
  claim(claimed: readonly Claimed[], limit: number) {
    const room = new Map([...this.subscribers.keys()].map((id) => [id, this.#roomOf(id)]));
    const possible = [...room.values()].reduce((sum, { due, free }) => sum + Math.min(due.length, free), 0);
    expect(claimed.length).toBe(Math.min(limit, possible));
    for (const one of claimed) {
      const delivery = this.deliveries.get(one.id);
      if (delivery?.state !== "waiting") throw new Error("a delivery is taken that does not wait");
      const { subscriberId, messageId, tries, attempts } = delivery;
      expect(one).toMatchObject({ subscriberId, messageId, tries, number: attempts.length + 1 });
      Object.assign(delivery, { state: "leased", lease: one.lease, leaseUntil: this.now + leaseMilliseconds });
    }
    this.held.push(...claimed);
    for (const [id, { due, free }] of room) {
      const taken = claimed.filter(({ subscriberId }) => subscriberId === id).map((one) => this.deliveries.get(one.id));
      expect(taken.length).toBeLessThanOrEqual(free);
      // The oldest due.
      expect(taken.map((one) => one?.nextAt ?? 0).toSorted(numerically)).toEqual(due.slice(0, taken.length));
      if (taken.length === Math.min(due.length, free)) continue;
      // Whoever has to stand back has no fewer than those who did not.
      for (const other of room.keys()) {
        const more = claimed.some(({ subscriberId }) => subscriberId === other);
        if (more) expect(this.#leased(other)).toBeLessThanOrEqual(this.#leased(id) + 1);
      }
    }
  }

  #roomOf(id: string): { due: number[]; free: number } {
    const subscriber = this.subscribers.get(id);
    if (subscriber?.state !== "active") return { due: [], free: 0 };
    const waiting = [...this.deliveries.values()].filter((one) => one.subscriberId === id && one.state === "waiting");
    const due = waiting.map(({ nextAt }) => nextAt).filter((nextAt) => nextAt <= this.now);
    const free = roomOf(subscriber.health, { now: this.now, cap: inFlightCap }) - this.#leased(id);
    return { due: due.toSorted(numerically), free: Math.max(0, free) };
  }

  #leased(id: string): number {
    return [...this.deliveries.values()].filter((one) => one.subscriberId === id && one.state === "leased").length;
  }

  /** What the store has to say of it. */
  settle(attempted: Attempted, { schedule, random }: Omit<SettleOptions, "now">) {
    const { claimed, outcome, error, startedAt, retryAfterMs } = attempted;
    const delivery = this.deliveries.get(claimed.id);
    const subscriber = this.subscribers.get(claimed.subscriberId);
    if (!subscriber || delivery?.lease !== claimed.lease) return { state: "superseded", disabled: undefined };
    const wait = waitAfter(delivery.tries + 1, { schedule, random: random(), retryAfterMs });
    delivery.attempts.push(error);
    Object.assign(delivery, released, { tries: delivery.tries + 1 });
    const over = outcome === "accepted" ? "delivered" : outcome === "hopeless" || wait === undefined ? "dead" : null;
    if (over) Object.assign(delivery, { state: over, endedAt: this.now });
    else Object.assign(delivery, { state: "waiting", nextAt: this.now + (wait ?? 0) });
    return { state: delivery.state, disabled: this.#judge(subscriber, { outcome, error, startedAt }) };
  }

  #judge(
    subscriber: ModelSubscriber,
    { outcome, error, startedAt }: Pick<Attempted, "outcome" | "error" | "startedAt">,
  ) {
    if (error === "abandoned") return undefined;
    const { now } = this;
    subscriber.health = outcome === "accepted" ? healthy : afterFailure(subscriber.health, { startedAt, now });
    const hopeless = isHopeless(subscriber.health, now) ? "no success for 120 hours" : undefined;
    const reason = outcome === "gone" ? "answered 410 Gone" : hopeless;
    if (reason === undefined || subscriber.state === "disabled") return undefined;
    Object.assign(subscriber, { state: "disabled", reason });
    return reason;
  }

  /** Whose time is over. */
  abandoned(all: boolean): ModelDelivery[] {
    const leased = [...this.deliveries.values()].filter(({ state }) => state === "leased");
    return leased.filter(({ leaseUntil }) => all || (leaseUntil ?? 0) <= this.now);
  }

  replay(delivery: ModelDelivery) {
    const tries = delivery.state === "waiting" ? delivery.tries : 0;
    Object.assign(delivery, { state: "waiting", nextAt: this.now, endedAt: null, tries });
  }

  deleteMessage(messageId: string) {
    for (const one of this.deliveries.values()) if (one.messageId === messageId) this.deliveries.delete(one.id);
  }

  remove(subscriberId: string) {
    this.subscribers.delete(subscriberId);
    for (const one of this.deliveries.values()) if (one.subscriberId === subscriberId) this.deliveries.delete(one.id);
  }
}

const released = { lease: null, leaseUntil: null };
const numerically = (a: number, b: number) => a - b;
