import { internalRoute } from "../http/internal-route.ts";
import type { RecentRequests } from "./recent-requests.ts";

/**
 * The route of the newest requests to the two APIs, with the reasons for refusals, for admins who connect an app or a
 * CI job.
 */
export function recentRequestRoutes(recentRequests: RecentRequests) {
  return [
    internalRoute({
      method: "GET",
      path: "/internal/arrivals",
      role: "admin",
      handle: async () => ({ items: await recentRequests.list() }),
    }),
  ] as const;
}
