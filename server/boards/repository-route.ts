import { Type } from "@sinclair/typebox";
import { isUuid } from "../../openapi/check.ts";
import { pageIn } from "../http/internal-query.ts";
import { internalRoute } from "../http/internal-route.ts";
import { closed, idOf, Uuid } from "../http/internal-schema.ts";
import { browseRepositories } from "./browse-repositories.ts";
import { bindRepository, unbindRepository } from "./repositories.ts";
import { setBaseBranch } from "./set-base-branch.ts";

/** Settings, Repositories: for admins. */
export const repositoryRoutes = [
  internalRoute({
    method: "GET",
    path: "/internal/repositories",
    role: "admin",
    handle: ({ ctx, query }) => {
      const project = query.get("project")?.toLowerCase();
      const projectId = project && isUuid(project) ? project : undefined;
      return browseRepositories({ ctx, input: { ...pageIn(query), projectId } });
    },
  }),
  internalRoute({
    method: "POST",
    path: "/internal/repositories",
    role: "admin",
    sensitive: true,
    body: closed({ projectId: Uuid, url: Type.String(), baseBranch: Type.Optional(Type.String()) }),
    handle: async ({ ctx, body: { projectId, ...more } }) => {
      const made = await bindRepository({ ctx, input: { projectId: projectId.toLowerCase(), ...more } });
      ctx.changed?.({ kind: "repository", id: made.id });
      return made;
    },
  }),
  internalRoute({
    method: "PATCH",
    path: "/internal/repositories/:id",
    role: "admin",
    sensitive: true,
    body: closed({ baseBranch: Type.Union([Type.String(), Type.Null()]) }),
    handle: ({ ctx, params, body }) => setBaseBranch({ ctx, input: { repositoryId: idOf(params), ...body } }),
  }),
  internalRoute({
    method: "DELETE",
    path: "/internal/repositories/:id",
    role: "admin",
    sensitive: true,
    handle: async ({ ctx, params }) => {
      const gone = await unbindRepository({ ctx, input: { id: idOf(params) } });
      ctx.changed?.({ kind: "repository", id: gone.id });
      return gone;
    },
  }),
] as const;
