import { Elysia } from "elysia";
import { answer } from "./answer.ts";
import type { Edge } from "./edge.ts";

/** `/livez` answers while the process runs; `/readyz` answers 200 while storage can commit and no stop has begun. */
export function healthRoutes(edge: Edge) {
  return new Elysia()
    .get("/livez", () => answer(edge, 200, '{"status":"live"}'))
    .get("/readyz", () => {
      const reason = edge.stopping() ? "shutting down" : edge.trouble();
      if (reason === undefined) return answer(edge, 200, '{"status":"ready"}');
      return answer(edge, 503, JSON.stringify({ status: "not ready", reason }), { "retry-after": "1" });
    });
}
