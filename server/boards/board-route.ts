import { Type } from "@sinclair/typebox";
import { changeBody, newBody } from "../http/field-bodies.ts";
import { internalRoute } from "../http/internal-route.ts";
import { closed, idOf, Uuid } from "../http/internal-schema.ts";
import { readFilter } from "../tickets/card-filter.ts";
import { archiveBoard, unarchiveBoard } from "./archive.ts";
import { boardFields } from "./board-fields.ts";
import { createBoard } from "./create-board.ts";
import { discardBoard } from "./delete-board.ts";
import { showBoard, showCounts } from "./show-board.ts";
import { updateBoard } from "./update-board.ts";

/** The board that it is to follow; null: none. */
const after = Type.Optional(Type.Union([Uuid, Type.Null()]));

export const boardRoutes = [
  internalRoute({
    method: "POST",
    path: "/internal/boards",
    role: "member",
    body: newBody(boardFields),
    handle: ({ ctx, body: { projectId, name } }) =>
      createBoard({ ctx, input: { projectId: projectId.toLowerCase(), name, columns: true } }),
  }),
  internalRoute({
    method: "GET",
    path: "/internal/boards/:id",
    role: "member",
    handle: ({ ctx, params, query }) =>
      showBoard({ ctx, input: { id: idOf(params), filter: readFilter(query, ctx.now()) } }),
  }),
  internalRoute({
    method: "GET",
    path: "/internal/boards/:id/counts",
    role: "member",
    handle: ({ ctx, params, query }) =>
      showCounts({ ctx, input: { id: idOf(params), filter: readFilter(query, ctx.now()) } }),
  }),
  internalRoute({
    method: "PATCH",
    path: "/internal/boards/:id",
    role: "member",
    body: changeBody(boardFields, { after }),
    handle: ({ ctx, params, body: { name, after } }) =>
      updateBoard({ ctx, input: { id: idOf(params), name, after: after?.toLowerCase() ?? after } }),
  }),
  internalRoute({
    method: "DELETE",
    path: "/internal/boards/:id",
    role: "admin",
    sensitive: true,
    handle: ({ ctx, params }) => discardBoard({ ctx, input: { id: idOf(params) } }),
  }),
  internalRoute({
    method: "POST",
    path: "/internal/boards/:id/archive",
    role: "admin",
    sensitive: true,
    body: closed({}),
    handle: ({ ctx, params }) => archiveBoard({ ctx, input: { id: idOf(params) } }),
  }),
  internalRoute({
    method: "POST",
    path: "/internal/boards/:id/unarchive",
    role: "admin",
    sensitive: true,
    body: closed({}),
    handle: ({ ctx, params }) => unarchiveBoard({ ctx, input: { id: idOf(params) } }),
  }),
] as const;
