import { changeBody, newBody } from "../http/field-bodies.ts";
import { pageIn, textIn, wordIn } from "../http/internal-query.ts";
import { internalRoute } from "../http/internal-route.ts";
import { closed, idOf } from "../http/internal-schema.ts";
import { browseRequests, requestFilters } from "./browse-requests.ts";
import { browseTokens, showToken } from "./browse-tokens.ts";
import { createToken } from "./create-token.ts";
import { replaceToken } from "./replace-token.ts";
import { revokeToken } from "./revoke-token.ts";
import { tokenFields } from "./token-fields.ts";
import { updateToken } from "./update-credential.ts";

/** Routes of the page Settings, API tokens, for admins only. */
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
    body: newBody(tokenFields),
    handle: ({ ctx, body }) => createToken({ ctx, input: body }),
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
    body: changeBody(tokenFields),
    handle: ({ ctx, params, body }) => updateToken({ ctx, input: { id: idOf(params), change: body } }),
  }),
  internalRoute({
    method: "DELETE",
    path: "/internal/tokens/:id",
    role: "admin",
    sensitive: true,
    handle: ({ ctx, params }) => revokeToken({ ctx, input: { id: idOf(params) } }),
  }),
] as const;
