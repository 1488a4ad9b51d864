import type { Context } from "../../core/context.ts";
import { changeSubscriber } from "../subscribers/change-subscriber.ts";
import { interestOf } from "./missed.ts";

/**
 * Enables a subscriber, or finds it enabled, of which {@link sendMissed} then sends what was missed since then (epoch
 * milliseconds). In this order: what comes meanwhile has its deliveries, and whatever comes twice is known.
 */
export async function enableSince({
  ctx,
  input: { id, since },
}: {
  ctx: Context;
  input: { id: string; since: number };
}): Promise<{ id: string }> {
  await interestOf(ctx, id, since);
  return changeSubscriber({ ctx, input: { id, change: "enable", since } });
}
