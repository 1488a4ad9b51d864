import { type RouteTools, routesOf } from "../../server/app/routes.ts";
import type { Edge } from "../../server/http/edge.ts";
import { healthRoutes } from "../../server/http/health.ts";

/** Every route of the server. The tools of the routes are not used before a request. */
export function allRoutes() {
  const edge = {} as Edge;
  const tools = new Proxy({}, { get: (_, name) => (name === "ingestUrl" ? undefined : {}) }) as RouteTools;
  return [healthRoutes(edge), ...routesOf(edge, tools)].flatMap((app) => app.routes);
}
