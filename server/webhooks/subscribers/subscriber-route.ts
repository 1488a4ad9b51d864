import { type TSchema, Type } from "@sinclair/typebox";
import type { Context } from "../../core/context.ts";
import { pageIn } from "../../http/internal-query.ts";
import { internalRoute } from "../../http/internal-route.ts";
import { closed, idOf, oneOf, Uuid } from "../../http/internal-schema.ts";
import type { MessageType } from "../messages/message-types.ts";
import { addSubscriber } from "./add-subscriber.ts";
import { browseSubscribers } from "./browse-subscribers.ts";
import { changeSubscriber, type SubscriberChange } from "./change-subscriber.ts";
import type { GivenOptions } from "./option-values.ts";
import { parseOwnHeaders } from "./own-headers.ts";
import { probeSubscriber } from "./probe-subscriber.ts";
import { removeSubscriber } from "./remove-subscriber.ts";
import { rotateSecret } from "./rotate-secret.ts";
import { showSubscriber } from "./show-subscriber.ts";
import { type KindOf, type OptionName, optionNames, optionOf, type SubscriberOption } from "./subscriber-options.ts";
import { type TestTools, testSubscriber } from "./test-subscriber.ts";
import { updateSubscriber } from "./update-subscriber.ts";

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
      body: newSubscriber,
      handle: async ({ ctx, body: { projectId, url, ...options } }) => {
        const input = { projectId: projectId?.toLowerCase() ?? null, ...givenIn(options), url };
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
      body: subscriberChange,
      handle: async ({ ctx, params, body }) => {
        const input = { id: idOf(params), update: givenIn(body) };
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

/** Open pages are told that the subscriber has changed. */
function notified<Changed extends { id: string }>(ctx: Context, changed: Changed): Changed {
  ctx.changed?.({ kind: "subscriber", id: changed.id });
  return changed;
}

/** What a body says of an option, by its kind. Headers are text: `Name: value`, one a line. */
interface BodyByKind {
  address: string;
  text: string | null;
  choices: MessageType[];
  texts: string[];
  headers: string | null;
  integer: number | null;
}

type OptionsBody = { [Name in OptionName]?: BodyByKind[KindOf<Name>] };

function schemaOf(option: SubscriberOption): TSchema {
  switch (option.kind) {
    case "address":
      return Type.String();
    case "text":
    case "headers":
      return Type.Union([Type.String(), Type.Null()]);
    case "choices":
      return Type.Array(oneOf(option.choices));
    case "texts":
      return Type.Array(Type.String());
    case "integer":
      return Type.Union([Type.Integer({ minimum: option.min, maximum: option.max }), Type.Null()]);
  }
}

const members = Object.fromEntries(optionNames.map((name) => [name, Type.Optional(schemaOf(optionOf(name)))]));

/** The body of a change: what is absent stays as it is, null takes a value away. */
const subscriberChange = Type.Unsafe<OptionsBody>(closed(members));

/** The body of a new subscriber. */
const newSubscriber = Type.Unsafe<OptionsBody & { projectId: string | null; url: string }>(
  closed({ ...members, projectId: Type.Union([Uuid, Type.Null()]), url: schemaOf(optionOf("url")) }),
);

/** Headers become values by name; nothing but blanks is none that were given. */
function givenIn({ headers, ...body }: OptionsBody): GivenOptions {
  if (headers === null) return { ...body, headers };
  return { ...body, headers: headers === undefined || headers.trim() === "" ? undefined : parseOwnHeaders(headers) };
}
