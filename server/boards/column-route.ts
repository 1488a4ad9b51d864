import { Type } from "@sinclair/typebox";
import { isUuid } from "../../openapi/check.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "../core/context.ts";
import { changeBody, newBody } from "../http/field-bodies.ts";
import { pageIn } from "../http/internal-query.ts";
import { internalRoute } from "../http/internal-route.ts";
import { idOf, Uuid } from "../http/internal-schema.ts";
import { readFilter } from "../tickets/card-filter.ts";
import { listColumnCards } from "../tickets/list-cards.ts";
import { columnFields } from "./column-fields.ts";
import { createColumn } from "./create-column.ts";
import { deleteColumn } from "./delete-column.ts";
import { updateColumn } from "./update-column.ts";

/** The column that it is to follow; null: none. */
const after = Type.Optional(Type.Union([Uuid, Type.Null()]));

export const columnRoutes = [
  internalRoute({
    method: "POST",
    path: "/internal/columns",
    role: "member",
    body: newBody(columnFields, { after }),
    handle: ({ ctx, body: { after, ...given } }) =>
      createColumn({ ctx, input: { ...given, after: after?.toLowerCase() ?? after } }),
  }),
  internalRoute({
    method: "PATCH",
    path: "/internal/columns/:id",
    role: "member",
    body: changeBody(columnFields, { after }),
    handle: ({ ctx, params, body: { after, ...change } }) =>
      updateColumn({ ctx, input: { ...change, id: idOf(params), after: after?.toLowerCase() ?? after } }),
  }),
  internalRoute({
    method: "DELETE",
    path: "/internal/columns/:id",
    role: "admin",
    sensitive: true,
    handle: ({ ctx, params, query }) => {
      const moveTo = query.get("moveTo")?.toLowerCase() || undefined;
      if (moveTo !== undefined && !isUuid(moveTo)) throw new Refusal("column_not_found");
      return deleteColumn({ ctx, input: { id: idOf(params), moveTo } });
    },
  }),
  internalRoute({
    method: "GET",
    path: "/internal/columns/:id/cards",
    role: "member",
    handle: ({ ctx, params, query }) => {
      const { limit } = query.has("limit") ? pageIn(query) : { limit: limits.columnCards };
      const cursor = query.get("after") ?? undefined;
      const filter = readFilter(query, ctx.now());
      return listColumnCards({ ctx, input: { columnId: idOf(params), filter, cursor, limit } });
    },
  }),
] as const;
