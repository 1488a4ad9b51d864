import { Type } from "@sinclair/typebox";
import { isUuid } from "../../openapi/check.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { pageIn } from "../http/internal-query.ts";
import { internalRoute } from "../http/internal-route.ts";
import { closed, idOf, Uuid } from "../http/internal-schema.ts";
import { browseKeys } from "./browse-keys.ts";
import { changeKey } from "./change-key.ts";
import { createKey } from "./create-key.ts";
import { updateKey } from "./update-key.ts";

const name = Type.String();
const origins = Type.Array(Type.String());
/** Requests a minute. */
const limit = Type.Integer({ minimum: limits.requestsPerWindowMin, maximum: limits.requestsPerWindowMax });

/** Settings, SDK keys: every member sees them, as they are public by nature; admins change them. */
export const keyRoutes = [
  internalRoute({
    method: "GET",
    path: "/internal/keys",
    role: "member",
    handle: ({ ctx, query }) => {
      const project = query.get("project")?.toLowerCase();
      return browseKeys({
        ctx,
        input: { ...pageIn(query), projectId: project && isUuid(project) ? project : undefined },
      });
    },
  }),
  internalRoute({
    method: "POST",
    path: "/internal/keys",
    role: "admin",
    sensitive: true,
    body: closed({ projectId: Uuid, name, origins: Type.Optional(origins), limit: Type.Optional(limit) }),
    handle: ({ ctx, body: { projectId, limit, ...rest } }) =>
      createKey({ ctx, input: { ...rest, projectId: projectId.toLowerCase(), requestsPerWindow: limit } }),
  }),
  internalRoute({
    method: "PATCH",
    path: "/internal/keys/:id",
    role: "admin",
    sensitive: true,
    body: Type.Partial(closed({ name, origins, limit })),
    handle: ({ ctx, params, body: { limit, ...rest } }) =>
      updateKey({ ctx, input: { id: idOf(params), update: { ...rest, requestsPerWindow: limit } } }),
  }),
  internalRoute({
    method: "POST",
    path: "/internal/keys/:id/pause",
    role: "admin",
    sensitive: true,
    body: closed({}),
    handle: ({ ctx, params }) => changeKey({ ctx, input: { id: idOf(params), change: "pause" } }),
  }),
  internalRoute({
    method: "POST",
    path: "/internal/keys/:id/resume",
    role: "admin",
    sensitive: true,
    body: closed({}),
    handle: ({ ctx, params }) => changeKey({ ctx, input: { id: idOf(params), change: "resume" } }),
  }),
  internalRoute({
    method: "DELETE",
    path: "/internal/keys/:id",
    role: "admin",
    sensitive: true,
    handle: ({ ctx, params }) => changeKey({ ctx, input: { id: idOf(params), change: "revoke" } }),
  }),
] as const;
