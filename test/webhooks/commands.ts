import { expect } from "bun:test";
import type fc from "fast-check";
import { claim } from "../../server/webhooks/deliveries/claim.ts";
import { enqueueStep, subscribersStep } from "../../server/webhooks/deliveries/enqueue.ts";
import { replayDead, replayDelivery } from "../../server/webhooks/deliveries/replay.ts";
import { type Attempted, settle, settleAbandoned } from "../../server/webhooks/deliveries/settle.ts";
import { changeSubscriber, type SubscriberChange } from "../../server/webhooks/subscribers/change-subscriber.ts";
import { removeSubscriber } from "../../server/webhooks/subscribers/remove-subscriber.ts";
import { byClock, ended, subscribe } from "../support/deliveries.ts";
import type { Installation } from "../support/installation.ts";
import { compare } from "./compare.ts";
import type { Model } from "./model.ts";

export const schedule = [0, 5, 300, 7_200];

/** What may happen to deliveries; done to the store and to the model, which have to agree afterwards. */
export class Command implements fc.AsyncCommand<Model, Installation> {
  constructor(
    readonly name: string,
    readonly act: (model: Model, real: Installation) => Promise<void>,
  ) {}
  check = () => true;
  async run(model: Model, real: Installation) {
    await this.act(
      model,
      byClock(real, () => model.now),
    );
    await compare(model, real);
  }
  toString = () => this.name;
}

export const add = () =>
  new Command("add()", async (model, real) => {
    if (model.subscribers.size < 12) model.add((await subscribe(real, { types: ["report.received"] })).id);
  });

export const tell = (count: number) =>
  new Command(`tell(${count})`, async (model, { ctx, made }) => {
    const { newId } = ctx;
    for (let n = 0; n < count; n++) {
      const [id, now] = [newId(), model.now];
      await ctx.store.write(function* (tx) {
        const topic = { projectId: made.project.id, type: "report.received", reportType: null } as const;
        const subscribers = yield* subscribersStep(tx, topic);
        yield* tx.run(
          `insert into event (id, project_id, key_id, digest, received_at, envelope_bytes, stored_bytes, delivery_count,
             repeat_count)
           values ($1, $2, 'key', 'digest', $3, 0, 0, $4, 0)`,
          [id, made.project.id, now, subscribers.length],
        );
        const message = { id, eventId: id, type: topic.type, head: "{}", tail: null };
        if (subscribers.length > 0) yield* enqueueStep(tx, message, subscribers, { now, newId });
      });
      const rows = await ctx.store.all<{ id: string; subscriber_id: string }>(
        "select id, subscriber_id from delivery where message_id = $1",
        [id],
      );
      model.tell(
        id,
        rows.map((row) => ({ id: row.id, subscriberId: row.subscriber_id })),
      );
    }
  });

export const take = (limit: number) =>
  new Command(`claim(${limit})`, async (model, { ctx }) => {
    model.claim(await claim(ctx.store, { limit, now: model.now, newId: ctx.newId }), limit);
  });

/** Some of what somebody believes to have, in one batch. */
export const end = (
  picks: readonly number[],
  {
    outcome,
    random,
    took,
    retryAfterMs,
  }: { outcome: Attempted["outcome"]; random: number; took: number; retryAfterMs?: number },
) =>
  new Command(`end(${picks}, ${outcome}, ${random}, ${took}, ${retryAfterMs})`, async (model, { ctx }) => {
    const some = picks.flatMap((pick) => model.held.splice(pick % Math.max(1, model.held.length), 1));
    const attempts = some.map((one) => ended(one, outcome, { startedAt: model.now - took, retryAfterMs }));
    const options = { now: model.now, schedule, random: () => random };
    const settled = await settle(ctx.store, attempts, options);
    const expected = attempts.map((attempted) => ({ attempted, ...model.settle(attempted, options) }));
    expect(settled).toEqual(expected as typeof settled);
  });

/** `all`: the only server starts again; whoever had something has it no more, but may still answer. */
export const abandon = (all: boolean) =>
  new Command(`abandon(${all})`, async (model, { ctx }) => {
    const options = { now: model.now, schedule, random: () => 0.5 };
    const settled = await settleAbandoned(ctx.store, { ...options, all });
    const over = model.abandoned(all).map(({ id }) => id);
    expect(settled.map(({ attempted }) => attempted.claimed.id).toSorted()).toEqual(over.toSorted());
    for (const { attempted, ...rest } of settled) expect(rest).toEqual(model.settle(attempted, options) as typeof rest);
  });

export const pass = (milliseconds: number) =>
  new Command(`pass(${milliseconds})`, async (model) => {
    model.now += milliseconds;
  });

const from = { pause: "active", resume: "paused", enable: "disabled" } as const;

export const change = (which: number, change: SubscriberChange) =>
  new Command(`${change}(${which})`, async (model, { ctx }) => {
    const subscriber = pick(model.subscribers, which);
    if (!subscriber) return;
    const changing = changeSubscriber({ ctx, input: { id: subscriber.id, change } });
    if (subscriber.state !== from[change]) return void (await expect(changing).rejects.toThrow("this subscriber is"));
    await changing;
    subscriber.state = change === "pause" ? "paused" : "active";
    if (change !== "enable") return;
    subscriber.reason = null;
    subscriber.health = { failures: 0, failingSince: null, openings: 0, openUntil: null };
  });

export const replay = (which: number) =>
  new Command(`replay(${which})`, async (model, { ctx }) => {
    const delivery = pick(model.deliveries, which);
    if (!delivery) return;
    const replaying = replayDelivery({ ctx, input: { subscriberId: delivery.subscriberId, id: delivery.id } });
    if (delivery.state === "leased") return void (await expect(replaying).rejects.toThrow("is under way"));
    await replaying;
    model.replay(delivery);
  });

export const replaySince = (which: number, ago: number) =>
  new Command(`replaySince(${which}, ${ago})`, async (model, { ctx }) => {
    const subscriber = pick(model.subscribers, which);
    if (!subscriber) return;
    const since = model.now - ago;
    const { replayed } = await replayDead({ ctx, input: { subscriberId: subscriber.id, since } });
    const dead = [...model.deliveries.values()].filter(
      ({ subscriberId, state, endedAt }) =>
        subscriberId === subscriber.id && state === "dead" && (endedAt ?? 0) >= since && (endedAt ?? 0) < model.now,
    );
    expect(replayed).toBe(dead.length);
    for (const one of dead) model.replay(one);
  });

export const forget = (which: number) =>
  new Command(`deleteEvent(${which})`, async (model, { ctx }) => {
    const delivery = pick(model.deliveries, which);
    if (!delivery) return;
    await ctx.store.write((tx) => tx.run("delete from event where id = $1", [delivery.messageId]));
    model.deleteMessage(delivery.messageId);
  });

export const remove = (which: number) =>
  new Command(`remove(${which})`, async (model, { ctx }) => {
    const subscriber = pick(model.subscribers, which);
    if (!subscriber) return;
    await removeSubscriber({ ctx, input: { id: subscriber.id } });
    model.remove(subscriber.id);
  });

function pick<T>(all: ReadonlyMap<string, T>, which: number): T | undefined {
  return [...all.values()][which % Math.max(1, all.size)];
}
