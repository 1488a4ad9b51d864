import { Type } from "@sinclair/typebox";
import { limits } from "../../openapi/schema/limits.ts";
import { pageIn } from "../http/internal-query.ts";
import { internalRoute } from "../http/internal-route.ts";
import { closed, idOf } from "../http/internal-schema.ts";
import { grantCredits } from "./grant-credits.ts";
import { listCredits } from "./list-credits.ts";
import { listRunners } from "./list-runners.ts";
import { setRunCredits } from "./set-run-credits.ts";
import { showCredits } from "./show-credits.ts";

/** Routes of the page Settings, Agent: credits and runners. */
export const creditsRoutes = [
  internalRoute({
    method: "GET",
    path: "/internal/credits",
    role: "member",
    handle: ({ ctx }) => showCredits({ ctx }),
  }),
  internalRoute({
    method: "GET",
    path: "/internal/credits/entries",
    role: "admin",
    handle: ({ ctx, query }) => listCredits({ ctx, input: pageIn(query) }),
  }),
  internalRoute({
    method: "POST",
    path: "/internal/credits/grants",
    role: "admin",
    sensitive: true,
    body: closed({
      amount: Type.Integer({ minimum: -limits.creditsMax, maximum: limits.creditsMax }),
      note: Type.Optional(Type.String({ minLength: 1, maxLength: limits.nameMax })),
    }),
    handle: ({ ctx, body }) => grantCredits({ ctx, input: body }),
  }),
  internalRoute({
    method: "GET",
    path: "/internal/runners",
    role: "admin",
    handle: ({ ctx }) => listRunners({ ctx }),
  }),
  internalRoute({
    method: "PATCH",
    path: "/internal/repositories/:id/credits",
    role: "admin",
    sensitive: true,
    body: closed({ credits: Type.Integer({ minimum: 0, maximum: limits.creditsMax }) }),
    handle: ({ ctx, params, body }) => setRunCredits({ ctx, input: { repositoryId: idOf(params), ...body } }),
  }),
] as const;
