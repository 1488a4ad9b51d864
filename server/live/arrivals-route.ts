import { internalRoute } from "../http/internal.ts";
import type { Arrivals } from "./arrivals.ts";

/** What has come in to the two APIs since the server started: who is setting up sees why something was refused. */
export function arrivalRoutes(arrivals: Arrivals) {
  return [
    internalRoute({
      method: "GET",
      path: "/internal/arrivals",
      role: "admin",
      handle: async () => ({ items: arrivals.list() }),
    }),
  ] as const;
}
