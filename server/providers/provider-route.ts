import { Type } from "@sinclair/typebox";
import { limits } from "../../openapi/schema/limits.ts";
import { cookie, cookiesOf } from "../accounts/session-cookie.ts";
import { Refusal } from "../core/context.ts";
import { requireRecentPassword } from "../core/session.ts";
import { changeBody, newBody } from "../http/field-bodies.ts";
import { internalRoute } from "../http/internal-route.ts";
import { closed, idOf } from "../http/internal-schema.ts";
import type { SsrfGuard } from "../webhooks/addresses/ssrf-guard.ts";
import { addProvider } from "./add-provider.ts";
import { beginAtProvider, type ProviderTools } from "./begin.ts";
import { linkTo } from "./finish.ts";
import { cookieNames, flowMilliseconds, openFrom, type PendingLink } from "./flow.ts";
import { listProviders } from "./list-providers.ts";
import { ownIdentities, unlinkSelf } from "./own-identities.ts";
import { ProviderFailed } from "./provider-failed.ts";
import { providerFields } from "./provider-fields.ts";
import { removeProvider } from "./remove-provider.ts";
import { testProvider } from "./test-provider.ts";
import type { Tried } from "./tried.ts";
import { unlinkMember } from "./unlink-member.ts";
import { updateProvider } from "./update-provider.ts";

const idText = Type.String({ maxLength: limits.providerIdMax });
const pathText = Type.Optional(Type.String({ maxLength: limits.urlMax }));
const secretText = Type.Optional(Type.String({ maxLength: limits.clientSecretMax }));

/** Calls of the page about identity providers. */
export function providerRoutes(tools: ProviderTools & { addresses: SsrfGuard }) {
  function flowCookie(request: Request, value: string): string {
    return cookie(request, { name: cookieNames.flow, value, seconds: flowMilliseconds / 1_000 });
  }

  return [
    internalRoute({
      method: "POST",
      path: "/internal/session/provider",
      role: "anyone",
      body: closed({ provider: idText, next: pathText }),
      handle: async ({ ctx, body, request, headers }) => {
        const begun = await beginAtProvider({ ctx, tools, input: { ...body, purpose: "sign-in" } });
        headers["set-cookie"] = flowCookie(request, begun.cookie);
        return { url: begun.url };
      },
    }),
    internalRoute({
      method: "POST",
      path: "/internal/session/confirm",
      role: "member",
      body: closed({ provider: idText }),
      handle: async ({ ctx, session, body, request, headers }) => {
        const input = { ...body, purpose: "confirm", member: session.member.id } as const;
        const begun = await beginAtProvider({ ctx, tools, input });
        headers["set-cookie"] = flowCookie(request, begun.cookie);
        return { url: begun.url };
      },
    }),
    internalRoute({
      method: "POST",
      path: "/internal/session/pending-link",
      role: "member",
      body: closed({}),
      handle: async ({ ctx, session, request, headers }) => {
        const cookies = cookiesOf(request, cookieNames.pending);
        const pending = openFrom<PendingLink>(tools.sealing, "pending", cookies, ctx.now());
        if (pending?.member !== session.member.id) throw new Refusal("not_found");
        requireRecentPassword(session, ctx.now());
        await linkTo(ctx, pending, session).catch(refuse);
        headers["set-cookie"] = cookie(request, { name: cookieNames.pending, value: "", seconds: 0 });
        return { provider: pending.provider };
      },
    }),
    internalRoute({
      method: "POST",
      path: "/internal/me/identities",
      role: "member",
      sensitive: true,
      body: closed({ provider: idText }),
      handle: async ({ ctx, session, body, request, headers }) => {
        const input = { ...body, purpose: "link", member: session.member.id } as const;
        const begun = await beginAtProvider({ ctx, tools, input });
        headers["set-cookie"] = flowCookie(request, begun.cookie);
        return { url: begun.url };
      },
    }),
    internalRoute({
      method: "GET",
      path: "/internal/me/identities",
      role: "member",
      handle: ({ ctx, session }) => ownIdentities({ ctx, input: { session } }),
    }),
    internalRoute({
      method: "DELETE",
      path: "/internal/me/identities/:id",
      role: "member",
      sensitive: true,
      handle: ({ ctx, session, params }) => unlinkSelf({ ctx, input: { session, provider: params["id"] ?? "" } }),
    }),
    internalRoute({
      method: "DELETE",
      path: "/internal/members/:id/identities/:provider",
      role: "admin",
      sensitive: true,
      handle: ({ ctx, params }) =>
        unlinkMember({ ctx, input: { id: idOf(params), provider: params["provider"] ?? "" } }),
    }),
    internalRoute({
      method: "GET",
      path: "/internal/providers",
      role: "admin",
      handle: ({ ctx }) => listProviders({ ctx }),
    }),
    internalRoute({
      method: "GET",
      path: "/internal/providers/tried",
      role: "admin",
      handle: async ({ ctx, request }) => {
        const cookies = cookiesOf(request, cookieNames.tried);
        const tried = openFrom<Tried & { until: number }>(tools.sealing, "tried", cookies, ctx.now());
        if (!tried) throw new Refusal("not_found");
        return tried;
      },
    }),
    internalRoute({
      method: "POST",
      path: "/internal/providers",
      role: "admin",
      sensitive: true,
      body: newBody(providerFields, { secret: secretText }),
      handle: ({ ctx, body }) => addProvider({ ctx, tools, input: body }),
    }),
    internalRoute({
      method: "PATCH",
      path: "/internal/providers/:id",
      role: "admin",
      sensitive: true,
      body: changeBody(providerFields, { secret: secretText }),
      handle: ({ ctx, params, body }) => updateProvider({ ctx, tools, input: { ...body, id: params["id"] ?? "" } }),
    }),
    internalRoute({
      method: "DELETE",
      path: "/internal/providers/:id",
      role: "admin",
      sensitive: true,
      handle: ({ ctx, params }) => removeProvider({ ctx, input: { id: params["id"] ?? "" } }),
    }),
    internalRoute({
      method: "POST",
      path: "/internal/providers/:id/test",
      role: "admin",
      body: closed({}),
      handle: ({ ctx, params }) => testProvider({ ctx, tools, input: { id: params["id"] ?? "" } }),
    }),
    internalRoute({
      method: "POST",
      path: "/internal/providers/:id/try",
      role: "admin",
      sensitive: true,
      body: closed({}),
      handle: async ({ ctx, session, params, request, headers }) => {
        const input = { provider: params["id"] ?? "", purpose: "try", member: session.member.id } as const;
        const begun = await beginAtProvider({ ctx, tools, input });
        headers["set-cookie"] = flowCookie(request, begun.cookie);
        return { url: begun.url };
      },
    }),
  ] as const;
}

function refuse(error: unknown): never {
  if (error instanceof ProviderFailed) throw new Refusal("conflict", error.message);
  throw error;
}
