import { type Context, requireAdmin } from "../../core/context.ts";
import { flaggedNames } from "../../core/fields.ts";
import type { Page, PageInput } from "../../core/page.ts";
import { pick } from "../../core/pick.ts";
import { subscriberFields } from "./subscriber-fields.ts";
import { countedMax, pageOfSubscribers } from "./subscriber-rows.ts";
import { presentSubscriber, type SubscriberView } from "./subscriber-view.ts";

const listed = [
  ...(["id", "projectId"] as const),
  ...flaggedNames(subscriberFields),
  "headers",
  ...(["state", "reason", "failures", "failingSince", "lastSuccessAt", "waiting"] as const),
  ...(["previousUntil", "createdAt"] as const),
] as const;

export type ListedSubscriber = Pick<SubscriberView, (typeof listed)[number]>;

/** Lists subscribers for the command line, oldest first. For admins only: addresses of receivers are often secrets. */
export async function listSubscribers({
  ctx,
  input,
}: {
  ctx: Context;
  input: PageInput & { projectId?: string | undefined };
}): Promise<Page<ListedSubscriber>> {
  requireAdmin(ctx);
  const { items, next } = await pageOfSubscribers(ctx.store, input);
  const now = ctx.now();
  return { items: items.map((row) => present(presentSubscriber(row, now))), next };
}

/** The count 10,000 may stand for more. */
function present(view: SubscriberView): ListedSubscriber {
  return { ...pick(view, listed), waiting: Math.min(view.waiting, countedMax) };
}
