import { Type } from "@sinclair/typebox";
import type { Context } from "../access/context.ts";
import { Refusal } from "../access/context.ts";
import { internalRoute } from "../http/internal.ts";
import { pageIn, textIn, wordIn } from "../http/internal-query.ts";
import { closed, idOf } from "../http/internal-schema.ts";
import { browseDeliveries, deliveryStates } from "./browse-deliveries.ts";
import { countDead } from "./count-dead.ts";
import { replayDelivery } from "./replay.ts";
import type { Replays } from "./replays.ts";
import { type ShowDeliveryTools, showDelivery } from "./show-delivery.ts";

const since = closed({ since: Type.String() });

/** What was and will be sent to a subscriber: for admins. */
export function deliveryRoutes(tools: ShowDeliveryTools & { replays: Replays }) {
  return [
    internalRoute({
      method: "GET",
      path: "/internal/subscribers/:id/deliveries",
      role: "admin",
      handle: ({ ctx, params, query }) =>
        browseDeliveries({
          ctx,
          input: {
            ...pageIn(query),
            subscriberId: idOf(params),
            state: wordIn(query, "state", deliveryStates),
            text: textIn(query, "text"),
          },
        }),
    }),
    internalRoute({
      method: "GET",
      path: "/internal/subscribers/:id/deliveries/:delivery",
      role: "admin",
      handle: ({ ctx, params }) =>
        showDelivery({ ctx, tools, input: { subscriberId: idOf(params), id: idOf(params, "delivery") } }),
    }),
    internalRoute({
      method: "POST",
      path: "/internal/subscribers/:id/deliveries/:delivery/replay",
      role: "admin",
      body: closed({}),
      handle: async ({ ctx, params }) => {
        const input = { subscriberId: idOf(params), id: idOf(params, "delivery") };
        return told(ctx, input.subscriberId, await replayDelivery({ ctx, input }));
      },
    }),
    internalRoute({
      method: "GET",
      path: "/internal/subscribers/:id/replay",
      role: "admin",
      handle: async ({ ctx, params, query }) => {
        const subscriberId = idOf(params);
        const asked = query.get("since");
        const progress = tools.replays.progressOf({ ctx, input: { subscriberId } });
        if (asked === null) return { progress, preview: null };
        return { progress, preview: await countDead({ ctx, input: { subscriberId, since: momentOf(asked) } }) };
      },
    }),
    internalRoute({
      method: "POST",
      path: "/internal/subscribers/:id/replay",
      role: "admin",
      body: since,
      handle: async ({ ctx, params, body }) => {
        const input = { subscriberId: idOf(params), since: momentOf(body.since) };
        // That there is such a subscriber is told at once.
        await countDead({ ctx, input });
        return tools.replays.start({ ctx, input });
      },
    }),
    internalRoute({
      method: "DELETE",
      path: "/internal/subscribers/:id/replay",
      role: "admin",
      handle: async ({ ctx, params }) => ({
        progress: tools.replays.stop({ ctx, input: { subscriberId: idOf(params) } }),
      }),
    }),
  ] as const;
}

function momentOf(text: string): number {
  const moment = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(moment)) throw new Refusal("invalid_input", "since must be a time such as 2026-05-01T00:00:00Z.");
  return moment;
}

function told<Changed extends object>(ctx: Context, id: string, changed: Changed): Changed {
  ctx.changed?.({ kind: "delivery", id, in: id });
  return changed;
}
