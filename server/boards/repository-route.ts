import { isUuid } from "../../openapi/check.ts";
import { Refusal } from "../core/context.ts";
import { changeBody, newBody } from "../http/field-bodies.ts";
import { pageIn } from "../http/internal-query.ts";
import { internalRoute } from "../http/internal-route.ts";
import { idOf } from "../http/internal-schema.ts";
import { browseRepositories } from "./browse-repositories.ts";
import { bindRepository, unbindRepository } from "./repositories.ts";
import { repositoryFields } from "./repository-fields.ts";
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
    body: newBody(repositoryFields),
    handle: async ({ ctx, body }) => {
      const made = await bindRepository({ ctx, input: body });
      ctx.changed?.({ kind: "repository", id: made.id });
      return made;
    },
  }),
  internalRoute({
    method: "PATCH",
    path: "/internal/repositories/:id",
    role: "admin",
    sensitive: true,
    body: changeBody(repositoryFields),
    handle: ({ ctx, params, body: { baseBranch } }) => {
      if (baseBranch === undefined) throw new Refusal("invalid_input", "The body must have a baseBranch.");
      return setBaseBranch({ ctx, input: { repositoryId: idOf(params), baseBranch } });
    },
  }),
  internalRoute({
    method: "DELETE",
    path: "/internal/repositories/:id",
    role: "admin",
    sensitive: true,
    handle: async ({ ctx, params }) => {
      const unbound = await unbindRepository({ ctx, input: { id: idOf(params) } });
      ctx.changed?.({ kind: "repository", id: unbound.id });
      return unbound;
    },
  }),
] as const;
