import { openSealing } from "../../server/core/open-sealing.ts";
import { SsrfGuard } from "../../server/webhooks/addresses/ssrf-guard.ts";
import { type Claimed, claim } from "../../server/webhooks/deliveries/claim.ts";
import { enqueueStep, subscribersStep } from "../../server/webhooks/deliveries/enqueue.ts";
import { type ListedDelivery, listDeliveries } from "../../server/webhooks/deliveries/list-deliveries.ts";
import { type Attempted, settle } from "../../server/webhooks/deliveries/settle.ts";
import { addSubscriber, type SubscriberInput } from "../../server/webhooks/subscribers/add-subscriber.ts";
import { type ListedSubscriber, listSubscribers } from "../../server/webhooks/subscribers/list-subscribers.ts";
import type { Installation } from "./installation.ts";

const loopback = ["127.0.0.0/8"];

/** Adds a subscriber of the first project to agent runs, whose messages need no report. */
export async function subscribe(installation: Installation, input: Partial<SubscriberInput> = {}) {
  const { ctx, made, folder } = installation;
  const sealing = await openSealing(folder, ctx.store);
  return addSubscriber({
    ctx,
    tools: { sealing, addresses: new SsrfGuard({ allow: loopback }) },
    input: {
      projectId: made.project.id,
      url: "http://127.0.0.1:9/hook",
      types: ["agent_run.updated"],
      reportTypes: [],
      ...input,
    },
  });
}

/** Enqueues a message for every subscriber of the project; returns the id of the message. */
export async function tell({ ctx, made }: Installation, projectId = made.project.id): Promise<string> {
  const { newId } = ctx;
  const id = newId();
  const type = "agent_run.updated";
  const [message, now] = [{ id, eventId: null, type, head: JSON.stringify({ type }), tail: null } as const, ctx.now()];
  await ctx.store.write(function* (tx) {
    const subscribers = yield* subscribersStep(tx, { projectId, type, reportType: null });
    if (subscribers.length > 0) yield* enqueueStep(tx, message, subscribers, { now, newId });
  });
  return id;
}

/** The same data directory with another clock. */
export function byClock(installation: Installation, now: () => number): Installation {
  return { ...installation, ctx: { ...installation.ctx, now } };
}

/** Waiting deliveries of one subscriber, a millisecond apart, the last one due now. */
export async function backlog({ ctx }: Installation, subscriberId: string, count: number): Promise<void> {
  const { newId } = ctx;
  const [messageId, now, ids] = [newId(), ctx.now(), Array.from({ length: count }, newId)];
  const message = { id: messageId, eventId: null, type: "agent_run.updated", head: "{}", tail: null } as const;
  await ctx.store.write(function* (tx) {
    yield* enqueueStep(tx, message, [], { now, newId });
    for (const [index, id] of ids.entries()) {
      yield* tx.run(
        `insert into delivery (id, message_id, subscriber_id, state, tries, attempts, next_at, created_at)
         values ($1, $2, $3, 'waiting', 0, 0, $4, $5)`,
        [id, messageId, subscriberId, now - index, now],
      );
    }
  });
}

/** An attempt with its result. */
export function ended(claimed: Claimed, outcome: Attempted["outcome"], more: Partial<Attempted> = {}): Attempted {
  const failure = { status: 500, error: "status" };
  const success = { status: 200, error: null };
  return {
    ...{ claimed, outcome, startedAt: 0, milliseconds: 12, answer: "an answer" },
    ...(outcome === "accepted" ? success : failure),
    ...more,
  };
}

/** Settles every due attempt with this result; a failed delivery is dead after its first attempt. */
export async function attemptAll({ ctx }: Installation, outcome: Attempted["outcome"]): Promise<number> {
  const now = ctx.now();
  const claimed = await claim(ctx.store, { limit: 64, now, newId: ctx.newId });
  const attempts = claimed.map((one) => ended(one, outcome, { startedAt: now }));
  await settle(ctx.store, attempts, { now, schedule: [0], random: () => 0.5 });
  return claimed.length;
}

/** Newest first. */
export async function deliveriesOf({ ctx }: Installation, subscriberId: string): Promise<ListedDelivery[]> {
  return (await listDeliveries({ ctx, input: { subscriberId, limit: 200 } })).items;
}

export async function subscriberView({ ctx }: Installation, id: string): Promise<ListedSubscriber | undefined> {
  return (await listSubscribers({ ctx, input: { limit: 200 } })).items.find((one) => one.id === id);
}

export async function rowCount({ ctx }: Installation, table: "message" | "delivery" | "attempt"): Promise<number> {
  return (await ctx.store.one<{ n: number }>(`select count(*) as n from ${table}`))?.n ?? 0;
}
