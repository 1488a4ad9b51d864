import type { Context } from "../../core/context.ts";
import { changeSubscriber } from "../subscribers/change-subscriber.ts";
import { interestOf } from "./missed.ts";

/**
 * Enables a subscriber unless it is enabled; {@link sendMissed} then sends what the subscriber has missed since a time
 * (epoch milliseconds). In this order a report that comes meanwhile has its delivery, and one that both find is sent
 * once.
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
