import { directRoutesOf } from "../../server/app/direct-routes.ts";
import { type RouteTools, routesOf } from "../../server/app/routes.ts";
import type { Sealing } from "../../server/core/sealing.ts";
import { compose } from "../../server/http/all-routes.ts";
import type { Edge } from "../../server/http/edge.ts";

/** Every route of the server. The tools of the routes are not used before a request. */
export function allRoutes() {
  const edge = {} as Edge;
  const tools = new Proxy({}, { get: (_, name) => (name === "ingestUrl" ? undefined : {}) }) as RouteTools;
  return compose(edge, directRoutesOf(edge, tools.ingest, {} as Sealing), routesOf(edge, tools), notAsked).routes;
}

function notAsked(): never {
  throw new Error("no request is made");
}
