import { Type } from "@sinclair/typebox";
import { isUuid } from "../../openapi/check.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "../core/context.ts";
import { pageIn } from "../http/internal-query.ts";
import { internalRoute } from "../http/internal-route.ts";
import { closed, idOf, oneOf, Uuid } from "../http/internal-schema.ts";
import { readFilter } from "../tickets/card-filter.ts";
import { listColumnCards } from "../tickets/list-cards.ts";
import { categories } from "./categories.ts";
import { createColumn } from "./create-column.ts";
import { deleteColumn } from "./delete-column.ts";
import { updateColumn } from "./update-column.ts";

const name = Type.String();
const category = oneOf(categories);
const limit = Type.Union([Type.Integer({ minimum: 1, maximum: limits.cardLimitMax }), Type.Null()], {
  errorMessage: `must be a whole number from 1 to ${limits.cardLimitMax}, or null.`,
});
const after = Type.Union([Uuid, Type.Null()]);

export const columnRoutes = [
  internalRoute({
    method: "POST",
    path: "/internal/columns",
    role: "member",
    body: closed({
      boardId: Uuid,
      name,
      category: Type.Optional(category),
      limit: Type.Optional(limit),
      after: Type.Optional(after),
    }),
    handle: ({ ctx, body: { boardId, after, ...rest } }) =>
      createColumn({ ctx, input: { ...rest, boardId: boardId.toLowerCase(), after: after?.toLowerCase() ?? after } }),
  }),
  internalRoute({
    method: "PATCH",
    path: "/internal/columns/:id",
    role: "member",
    body: Type.Partial(closed({ name, category, limit, after })),
    handle: ({ ctx, params, body: { after, ...rest } }) =>
      updateColumn({ ctx, input: { ...rest, id: idOf(params), after: after?.toLowerCase() ?? after } }),
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
