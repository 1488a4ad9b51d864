import { internalRoute } from "../http/internal-route.ts";
import type { RecentRequests } from "./recent-requests.ts";

/** What has come in to the two APIs since the server started: who is setting up sees why something was refused. */
export function arrivalRoutes(arrivals: RecentRequests) {
  return [
    internalRoute({
      method: "GET",
      path: "/internal/arrivals",
      role: "admin",
      handle: async () => ({ items: arrivals.list() }),
    }),
  ] as const;
}
