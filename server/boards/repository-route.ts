import { Type } from "@sinclair/typebox";
import { isUuid } from "../../openapi/check.ts";
import { internalRoute } from "../http/internal.ts";
import { pageIn } from "../http/internal-query.ts";
import { closed, idOf, Uuid } from "../http/internal-schema.ts";
import { browseRepositories } from "./browse-repositories.ts";
import { bindRepository, unbindRepository } from "./repositories.ts";

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
    body: closed({ projectId: Uuid, url: Type.String() }),
    handle: async ({ ctx, body: { projectId, url } }) => {
      const made = await bindRepository({ ctx, input: { projectId: projectId.toLowerCase(), url } });
      ctx.changed?.({ kind: "repository", id: made.id });
      return made;
    },
  }),
  internalRoute({
    method: "DELETE",
    path: "/internal/repositories/:id",
    role: "admin",
    handle: async ({ ctx, params }) => {
      const gone = await unbindRepository({ ctx, input: { id: idOf(params) } });
      ctx.changed?.({ kind: "repository", id: gone.id });
      return gone;
    },
  }),
] as const;
