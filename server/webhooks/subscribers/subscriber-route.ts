import { Type } from "@sinclair/typebox";
import type { Context } from "../../core/context.ts";
import { pageIn } from "../../http/internal-query.ts";
import { internalRoute } from "../../http/internal-route.ts";
import { closed, idOf, oneOf, Uuid } from "../../http/internal-schema.ts";
import { messageTypes } from "../messages/message.ts";
import { addSubscriber } from "./add-subscriber.ts";
import { browseSubscribers } from "./browse-subscribers.ts";
import { changeSubscriber, type SubscriberChange } from "./change-subscriber.ts";
import { parseOwnHeaders } from "./own-headers.ts";
import { probeSubscriber } from "./probe-subscriber.ts";
import { removeSubscriber } from "./remove-subscriber.ts";
import { rotateSecret } from "./rotate-secret.ts";
import { showSubscriber } from "./show-subscriber.ts";
import { type TestTools, testSubscriber } from "./test-subscriber.ts";
import { updateSubscriber } from "./update-subscriber.ts";

const fields = {
  /** Null in a change: it is called by its host. */
  name: Type.String(),
  url: Type.String(),
  types: Type.Array(oneOf(messageTypes)),
  reportTypes: Type.Array(Type.String()),
  /** `Name: value`, one a line. */
  headers: Type.String(),
};

/** Subscribers: everybody sees how they fare, admins see and change the rest. */
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
      body: closed({
        projectId: Type.Union([Uuid, Type.Null()]),
        url: fields.url,
        ...Type.Partial(Type.Pick(Type.Object(fields), ["name", "types", "reportTypes", "headers"])).properties,
      }),
      handle: async ({ ctx, body: { projectId, types = [], reportTypes = [], headers, ...rest } }) => {
        const input = { ...rest, projectId: projectId?.toLowerCase() ?? null, types, reportTypes };
        const made = await addSubscriber({ ctx, tools, input: { ...input, headers: headersOf(headers) } });
        return told(ctx, made);
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
      body: Type.Partial(
        closed({
          ...fields,
          name: Type.Union([fields.name, Type.Null()]),
          headers: Type.Union([fields.headers, Type.Null()]),
        }),
      ),
      handle: async ({ ctx, params, body: { headers, ...rest } }) => {
        const update = { ...rest, headers: headers === null ? null : headersOf(headers) };
        return told(ctx, await updateSubscriber({ ctx, tools, input: { id: idOf(params), update } }));
      },
    }),
    internalRoute({
      method: "DELETE",
      path: "/internal/subscribers/:id",
      role: "admin",
      sensitive: true,
      handle: async ({ ctx, params }) => told(ctx, await removeSubscriber({ ctx, input: { id: idOf(params) } })),
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
      handle: async ({ ctx, params }) => told(ctx, await rotateSecret({ ctx, tools, input: { id: idOf(params) } })),
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
    handle: async ({ ctx, params }) => told(ctx, await changeSubscriber({ ctx, input: { id: idOf(params), change } })),
  });
}

/** Nothing but blanks is no header. */
function headersOf(text: string | undefined): Record<string, string> | undefined {
  return text === undefined || text.trim() === "" ? undefined : parseOwnHeaders(text);
}

function told<Changed extends { id: string }>(ctx: Context, changed: Changed): Changed {
  ctx.changed?.({ kind: "subscriber", id: changed.id });
  return changed;
}
