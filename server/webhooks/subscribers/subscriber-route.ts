import { Type } from "@sinclair/typebox";
import type { Context } from "../../core/context.ts";
import { changeBody, newBody } from "../../http/field-bodies.ts";
import { pageIn } from "../../http/internal-query.ts";
import { internalRoute } from "../../http/internal-route.ts";
import { closed, idOf, Uuid } from "../../http/internal-schema.ts";
import { addSubscriber } from "./add-subscriber.ts";
import { browseSubscribers } from "./browse-subscribers.ts";
import { changeSubscriber, type SubscriberChange } from "./change-subscriber.ts";
import { parseOwnHeaders } from "./own-headers.ts";
import { probeSubscriber } from "./probe-subscriber.ts";
import { removeSubscriber } from "./remove-subscriber.ts";
import { rotateSecret } from "./rotate-secret.ts";
import { showSubscriber } from "./show-subscriber.ts";
import { subscriberFields } from "./subscriber-fields.ts";
import { type TestTools, testSubscriber } from "./test-subscriber.ts";
import { updateSubscriber } from "./update-subscriber.ts";

/** One `Name: value` per line. */
const headersText = Type.Optional(Type.Union([Type.String(), Type.Null()]));

/** Calls of the page about subscribers: everybody sees their status, admins see and change the rest. */
export function subscriberRoutes(tools: TestTools) {
  return [
    internalRoute({
      method: "GET",
      path: "/internal/subscribers",
      role: "member",
      handle: ({ ctx, query }) => browseSubscribers({ ctx, input: pageIn(query) }),
    }),
    internalRoute({
      method: "POST",
      path: "/internal/subscribers",
      role: "admin",
      sensitive: true,
      body: newBody(subscriberFields, { projectId: Type.Union([Uuid, Type.Null()]), headers: headersText }),
      handle: async ({ ctx, body: { projectId, headers, ...fields } }) => {
        const input = { ...fields, projectId: projectId?.toLowerCase() ?? null, headers: headersIn(headers) };
        return notified(ctx, await addSubscriber({ ctx, tools, input }));
      },
    }),
    internalRoute({
      method: "GET",
      path: "/internal/subscribers/:id",
      role: "admin",
      handle: ({ ctx, params }) => showSubscriber({ ctx, tools, input: { id: idOf(params) } }),
    }),
    internalRoute({
      method: "PATCH",
      path: "/internal/subscribers/:id",
      role: "admin",
      sensitive: true,
      body: changeBody(subscriberFields, { headers: headersText }),
      handle: async ({ ctx, params, body: { headers, ...fields } }) => {
        const update = { ...fields, headers: headersIn(headers) };
        const input = { id: idOf(params), update };
        return notified(ctx, await updateSubscriber({ ctx, tools, input }));
      },
    }),
    internalRoute({
      method: "DELETE",
      path: "/internal/subscribers/:id",
      role: "admin",
      sensitive: true,
      handle: async ({ ctx, params }) => notified(ctx, await removeSubscriber({ ctx, input: { id: idOf(params) } })),
    }),
    changing("/internal/subscribers/:id/pause", "pause"),
    changing("/internal/subscribers/:id/resume", "resume"),
    internalRoute({
      method: "POST",
      path: "/internal/subscribers/:id/probe",
      role: "admin",
      body: closed({}),
      handle: ({ ctx, params }) => probeSubscriber({ ctx, input: { id: idOf(params) } }),
    }),
    internalRoute({
      method: "POST",
      path: "/internal/subscribers/:id/rotate",
      role: "admin",
      sensitive: true,
      body: closed({}),
      handle: async ({ ctx, params }) => notified(ctx, await rotateSecret({ ctx, tools, input: { id: idOf(params) } })),
    }),
    internalRoute({
      method: "POST",
      path: "/internal/subscribers/:id/test",
      role: "admin",
      body: closed({}),
      handle: ({ ctx, params }) => testSubscriber({ ctx, tools, input: { id: idOf(params) } }),
    }),
  ] as const;
}

function changing<const Path extends `/internal/${string}`>(path: Path, change: SubscriberChange) {
  return internalRoute({
    method: "POST",
    path,
    role: "admin",
    sensitive: true,
    body: closed({}),
    handle: async ({ ctx, params }) =>
      notified(ctx, await changeSubscriber({ ctx, input: { id: idOf(params), change } })),
  });
}

/** Tells open pages that the subscriber has changed. */
function notified<Changed extends { id: string }>(ctx: Context, changed: Changed): Changed {
  ctx.changed?.({ kind: "subscriber", id: changed.id });
  return changed;
}

/** A text of blanks only counts as not given; null removes the headers. */
function headersIn(text: string | null | undefined): Record<string, string> | null | undefined {
  if (text === null) return null;
  return text === undefined || text.trim() === "" ? undefined : parseOwnHeaders(text);
}
