import { type Context, requireMember } from "../../core/context.ts";
import type { Page, PageInput } from "../../core/page.ts";
import { pick } from "../../core/pick.ts";
import { type Hour, hourlyOutcomesOf } from "../attempts/hourly-outcomes.ts";
import { type SubscriberFields, subscriberFields } from "./subscriber-fields.ts";
import { pageOfSubscribers } from "./subscriber-rows.ts";
import { presentSubscriber, type SubscriberView } from "./subscriber-view.ts";

const forMembers = ["id", "name", "host", "projectId", "projectName", "subscriberStatus"] as const;
const fieldNames = Object.keys(subscriberFields) as (keyof SubscriberFields)[];
const forAdmins = [...fieldNames, "reason", "lastSuccessAt", "waiting", "dead"] as const;

interface BrowsedSubscriber extends Pick<SubscriberView, (typeof forMembers)[number]> {
  /** For admins only: the path of an address may be a secret, and only admins can change the rest. */
  more?: Pick<SubscriberView, (typeof forAdmins)[number]> & { hours: Hour[] };
}

/** Lists subscribers for pages, oldest first. Everybody sees each subscriber and its status, admins see everything. */
export async function browseSubscribers({
  ctx,
  input,
}: {
  ctx: Context;
  input: PageInput;
}): Promise<Page<BrowsedSubscriber>> {
  requireMember(ctx);
  const { items, next } = await pageOfSubscribers(ctx.store, input);
  const now = ctx.now();
  return { items: await Promise.all(items.map((row) => present(ctx, presentSubscriber(row, now)))), next };
}

async function present({ actor, store, now }: Context, view: SubscriberView): Promise<BrowsedSubscriber> {
  const shown = pick(view, forMembers);
  if (actor.kind === "member" && actor.role !== "admin") return shown;
  return { ...shown, more: { ...pick(view, forAdmins), hours: await hourlyOutcomesOf(store, view.id, now()) } };
}
