import type { Edge } from "../http/edge.ts";
import { internalRoute } from "../http/internal-route.ts";
import { showRail } from "./rail.ts";

export function railRoutes(edge: Edge) {
  return [
    internalRoute({
      method: "GET",
      path: "/internal/rail",
      role: "member",
      handle: ({ ctx, session }) => showRail({ ctx, input: { trouble: edge.trouble(), session } }),
    }),
  ] as const;
}
