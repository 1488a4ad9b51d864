import { newBody } from "../http/field-bodies.ts";
import { internalRoute } from "../http/internal-route.ts";
import { closed, idOf } from "../http/internal-schema.ts";
import { archiveProject, unarchiveProject } from "./archive.ts";
import { createProject } from "./create-project.ts";
import { discardProject } from "./delete-project.ts";
import { projectFields } from "./project-fields.ts";
import { listRail, showProject } from "./show-projects.ts";
import { updateProject } from "./update-project.ts";

export const projectRoutes = [
  internalRoute({
    method: "GET",
    path: "/internal/projects",
    role: "member",
    handle: ({ ctx }) => listRail({ ctx }),
  }),
  internalRoute({
    method: "POST",
    path: "/internal/projects",
    role: "admin",
    body: newBody(projectFields),
    handle: ({ ctx, body }) => createProject({ ctx, input: body }),
  }),
  internalRoute({
    method: "GET",
    path: "/internal/projects/:id",
    role: "member",
    handle: ({ ctx, params }) => showProject({ ctx, input: { id: idOf(params) } }),
  }),
  internalRoute({
    method: "PATCH",
    path: "/internal/projects/:id",
    role: "admin",
    body: newBody(projectFields),
    handle: ({ ctx, params, body }) => updateProject({ ctx, input: { id: idOf(params), ...body } }),
  }),
  internalRoute({
    method: "DELETE",
    path: "/internal/projects/:id",
    role: "admin",
    sensitive: true,
    handle: ({ ctx, params }) => discardProject({ ctx, input: { id: idOf(params) } }),
  }),
  internalRoute({
    method: "POST",
    path: "/internal/projects/:id/archive",
    role: "admin",
    sensitive: true,
    body: closed({}),
    handle: ({ ctx, params }) => archiveProject({ ctx, input: { id: idOf(params) } }),
  }),
  internalRoute({
    method: "POST",
    path: "/internal/projects/:id/unarchive",
    role: "admin",
    sensitive: true,
    body: closed({}),
    handle: ({ ctx, params }) => unarchiveProject({ ctx, input: { id: idOf(params) } }),
  }),
] as const;
