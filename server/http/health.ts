import type { Sealing } from "../core/sealing.ts";
import { answer } from "./answer.ts";
import type { DirectRoute } from "./direct-route.ts";
import type { Edge } from "./edge.ts";
import { seenRequest } from "./seen-request.ts";

/**
 * `/livez` answers while the process runs; `/readyz` answers 200 while storage can commit and no stop has begun. What else
 * does not work is named under `degraded`: the process still takes every request that does not need it. `/livez` also
 * tells the operator's `intake doctor` what the request looked like here.
 */
export function healthRoutes(edge: Edge, sealing: Sealing): DirectRoute[] {
  return [
    {
      method: "GET",
      path: "/livez",
      answer: (request) => {
        const seen = seenRequest(edge, sealing, request);
        return answer(edge, 200, seen ? JSON.stringify({ status: "live", seen }) : '{"status":"live"}');
      },
    },
    {
      method: "GET",
      path: "/readyz",
      answer: () => {
        const reason = edge.stopping() ? "shutting down" : edge.trouble();
        const degraded = edge.degraded();
        const ready = degraded.length === 0 ? { status: "ready" } : { status: "ready", degraded };
        if (reason === undefined) return answer(edge, 200, JSON.stringify(ready));
        return answer(edge, 503, JSON.stringify({ status: "not ready", reason }), { "retry-after": "1" });
      },
    },
  ];
}
