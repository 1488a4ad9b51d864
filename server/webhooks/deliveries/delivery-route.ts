import { Type } from "@sinclair/typebox";
import type { Context } from "../../core/context.ts";
import { Refusal } from "../../core/context.ts";
import { Links } from "../../files/links.ts";
import { pageIn, textIn, wordIn } from "../../http/internal-query.ts";
import { internalRoute } from "../../http/internal-route.ts";
import { closed, idOf } from "../../http/internal-schema.ts";
import { changeSubscriber } from "../subscribers/change-subscriber.ts";
import { countDead } from "../subscribers/count-dead.ts";
import { browseDeliveries, deliveryStates } from "./browse-deliveries.ts";
import { countMissed } from "./count-missed.ts";
import { enableSince } from "./enable-since.ts";
import { replayDelivery } from "./replay.ts";
import type { Replays } from "./replays.ts";
import { type ShowDeliveryTools, showDelivery } from "./show-delivery.ts";

const since = closed({ since: Type.String() });

/** Calls of the page about the deliveries of a subscriber: for admins. */
export function deliveryRoutes(tools: ShowDeliveryTools & { replays: Replays }) {
  const links = new Links(tools.sealing);
  return [
    internalRoute({
      method: "POST",
      path: "/internal/subscribers/:id/enable",
      role: "admin",
      sensitive: true,
      body: Type.Partial(since),
      handle: async ({ ctx, params, body }) => {
        const id = idOf(params);
        if (body.since === undefined) await changeSubscriber({ ctx, input: { id, change: "enable" } });
        else {
          const input = { subscriberId: id, since: momentOf(body.since) };
          await tools.replays.requireNone(id);
          await enableSince({ ctx, input: { id, since: input.since } });
          await tools.replays.startMissed({ ctx, tools: { links }, input });
        }
        ctx.changed?.({ kind: "subscriber", id });
        return { id };
      },
    }),
    internalRoute({
      method: "GET",
      path: "/internal/subscribers/:id/missed",
      role: "admin",
      handle: ({ ctx, params, query }) =>
        countMissed({ ctx, input: { subscriberId: idOf(params), since: momentOf(query.get("since") ?? "") } }),
    }),
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
      // The answer holds signatures and links to attachments that work without a session, beside text of whoever sent
      // the report.
      secret: true,
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
        return notified(ctx, input.subscriberId, await replayDelivery({ ctx, input }));
      },
    }),
    internalRoute({
      method: "GET",
      path: "/internal/subscribers/:id/replay",
      role: "admin",
      handle: async ({ ctx, params, query }) => {
        const subscriberId = idOf(params);
        const since = query.get("since");
        const progress = await tools.replays.progressOf({ ctx, input: { subscriberId } });
        if (since === null) return { progress, preview: null };
        return { progress, preview: await countDead({ ctx, input: { subscriberId, since: momentOf(since) } }) };
      },
    }),
    internalRoute({
      method: "POST",
      path: "/internal/subscribers/:id/replay",
      role: "admin",
      body: since,
      handle: async ({ ctx, params, body }) => {
        const input = { subscriberId: idOf(params), since: momentOf(body.since) };
        // Refuses a subscriber that does not exist; the replay itself runs after the answer.
        await countDead({ ctx, input });
        return tools.replays.start({ ctx, input });
      },
    }),
    internalRoute({
      method: "DELETE",
      path: "/internal/subscribers/:id/replay",
      role: "admin",
      handle: async ({ ctx, params }) => ({
        progress: await tools.replays.stop({ ctx, input: { subscriberId: idOf(params) } }),
      }),
    }),
  ] as const;
}

function momentOf(text: string): number {
  const moment = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(moment)) throw new Refusal("invalid_input", "since must be a time such as 2026-05-01T00:00:00Z.");
  return moment;
}

/** Tells open pages that deliveries of the subscriber have changed. */
function notified<Changed extends object>(ctx: Context, id: string, changed: Changed): Changed {
  ctx.changed?.({ kind: "delivery", id, in: id });
  return changed;
}
