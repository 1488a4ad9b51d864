import { Type } from "@sinclair/typebox";
import { limits } from "../../openapi/schema/limits.ts";
import { scopes } from "../../openapi/schema/ticket.ts";
import { pageIn, textIn, wordIn } from "../http/internal-query.ts";
import { internalRoute } from "../http/internal-route.ts";
import { closed, idOf, oneOf, Uuid } from "../http/internal-schema.ts";
import { browseRequests, requestFilters } from "./browse-requests.ts";
import { browseTokens, showToken } from "./browse-tokens.ts";
import { createToken, type Reach } from "./create-token.ts";
import { replaceToken } from "./replace-token.ts";
import { revokeToken } from "./revoke-token.ts";
import { updateToken } from "./update-token.ts";

const name = Type.String();
const reach = Type.Union([Type.Literal("all"), Type.Array(Uuid)], {
  errorMessage: 'must be "all" or a list of project ids.',
});
const chosenScopes = Type.Array(oneOf(scopes), { maxItems: scopes.length });
/** Requests a minute. */
const limit = Type.Integer({ minimum: limits.requestsPerWindowMin, maximum: limits.requestsPerWindowMax });

/** Settings, API tokens: for admins only, the list too. */
export const tokenRoutes = [
  internalRoute({
    method: "GET",
    path: "/internal/tokens",
    role: "admin",
    handle: ({ ctx, query }) =>
      browseTokens({
        ctx,
        input: { ...pageIn(query), state: wordIn(query, "state", ["active", "revoked"]), text: textIn(query, "text") },
      }),
  }),
  internalRoute({
    method: "POST",
    path: "/internal/tokens",
    role: "admin",
    sensitive: true,
    body: closed({ name, reach, scopes: Type.Optional(chosenScopes), limit: Type.Optional(limit) }),
    handle: ({ ctx, body: { limit, reach, ...rest } }) =>
      createToken({
        ctx,
        input: { scopes: ["tickets:write"], ...rest, reach: reachOf(reach), requestsPerWindow: limit },
      }),
  }),
  internalRoute({
    method: "GET",
    path: "/internal/tokens/:id",
    role: "admin",
    handle: ({ ctx, params }) => showToken({ ctx, input: { id: idOf(params) } }),
  }),
  internalRoute({
    method: "GET",
    path: "/internal/tokens/:id/requests",
    role: "admin",
    handle: ({ ctx, params, query }) =>
      browseRequests({
        ctx,
        input: { ...pageIn(query), tokenId: idOf(params), filter: wordIn(query, "filter", requestFilters) },
      }),
  }),
  internalRoute({
    method: "POST",
    path: "/internal/tokens/:id/replace",
    role: "admin",
    sensitive: true,
    body: closed({}),
    handle: ({ ctx, params }) => replaceToken({ ctx, input: { id: idOf(params) } }),
  }),
  internalRoute({
    method: "PATCH",
    path: "/internal/tokens/:id",
    role: "admin",
    sensitive: true,
    body: Type.Partial(closed({ name, reach, scopes: chosenScopes, limit })),
    handle: ({ ctx, params, body: { limit, reach, ...rest } }) =>
      updateToken({
        ctx,
        input: { id: idOf(params), change: { ...rest, reach: reach && reachOf(reach), requestsPerWindow: limit } },
      }),
  }),
  internalRoute({
    method: "DELETE",
    path: "/internal/tokens/:id",
    role: "admin",
    sensitive: true,
    handle: ({ ctx, params }) => revokeToken({ ctx, input: { id: idOf(params) } }),
  }),
] as const;

/** Each project once, by its id in lower case. */
function reachOf(reach: Reach): Reach {
  return reach === "all" ? reach : [...new Set(reach.map((id) => id.toLowerCase()))];
}
