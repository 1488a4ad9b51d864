import { isUuid } from "../../openapi/check.ts";
import { changeBody, newBody } from "../http/field-bodies.ts";
import { pageIn } from "../http/internal-query.ts";
import { internalRoute } from "../http/internal-route.ts";
import { closed, idOf } from "../http/internal-schema.ts";
import { browseKeys } from "./browse-keys.ts";
import { changeKey } from "./change-key.ts";
import { createKey } from "./create-key.ts";
import { keyFields } from "./key-fields.ts";
import { updateKey } from "./update-credential.ts";

/**
 * Routes of the page Settings, SDK keys. Every member may read them, because SDK keys are public; admins may change
 * them.
 */
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
    body: newBody(keyFields),
    handle: ({ ctx, body }) => createKey({ ctx, input: body }),
  }),
  internalRoute({
    method: "PATCH",
    path: "/internal/keys/:id",
    role: "admin",
    sensitive: true,
    body: changeBody(keyFields),
    handle: ({ ctx, params, body }) => updateKey({ ctx, input: { id: idOf(params), change: body } }),
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
