import { type AnyElysia, Elysia } from "elysia";
import { Refusal } from "../core/context.ts";
import { pathOf } from "./app.ts";
import { cors } from "./cors.ts";
import type { DirectRoute } from "./direct-route.ts";
import type { Edge } from "./edge.ts";
import { type Fetch, fail } from "./fail.ts";

/**
 * Answers requests with all routes, and says which methods a path has and which paths do not exist. `nowhere` answers
 * people in a browser who open an address that does not exist. The direct routes are among them for HEAD and for the
 * methods of their paths.
 */
export function fetchWithAllRoutes(
  edge: Edge,
  direct: readonly DirectRoute[],
  others: readonly AnyElysia[],
  nowhere: (request: Request) => Promise<Response>,
): Fetch {
  const app = compose(edge, direct, others, notFound);
  const allowed = new Map<string, string>();
  for (const { path, method } of app.routes) {
    const methods = method === "GET" ? "GET, HEAD" : method;
    const before = allowed.get(path);
    allowed.set(path, before === undefined ? methods : `${before}, ${methods}`);
  }
  const patterns = [...allowed.keys()]
    .filter((path) => path.includes(":"))
    .map((path) => [path, patternOf(path)] as const);

  function notFound(request: Request): Response | Promise<Response> {
    const path = pathOf(request.url);
    const methods = allowed.get(path) ?? allowed.get(patterns.find(([, pattern]) => pattern.test(path))?.[0] ?? "");
    if (methods === undefined) {
      return isForPeople(path, request) ? nowhere(request) : fail(edge, "unknown", new Refusal("not_found"), request);
    }
    const headers = methods.includes("OPTIONS") ? { ...cors, allow: methods } : { allow: methods };
    return fail(edge, "unknown", new Refusal("method_not_allowed"), request, headers);
  }

  return app.fetch;
}

/**
 * Elysia is set up with `normalize: false`, or it would strip unknown members silently; with `standardHostname: false`,
 * or a host of up to three characters would find no route; with `onError` before every route, or it would not cover
 * them; and to parse no body of a direct route, or it would read it before the credential is checked.
 */
export function compose(
  edge: Edge,
  direct: readonly DirectRoute[],
  others: readonly AnyElysia[],
  notFound: Fetch,
): AnyElysia {
  const app = new Elysia({ normalize: false, strictPath: true, handler: { standardHostname: false } }).onError(
    { as: "global" },
    ({ request, error, code }) => (code === "NOT_FOUND" ? notFound(request) : fail(edge, "edge", error, request)),
  );
  for (const { method, path, answer } of direct) {
    app.route(method, path, ({ request }) => answer(request), { parse: "none" });
  }
  for (const routes of others) app.use(routes);
  return app;
}

/** Browsers accept `text/html` when somebody opens an address, and in no other request. */
function isForPeople(path: string, { method, headers }: Request): boolean {
  return method === "GET" && !path.startsWith("/api/") && headers.get("accept")?.includes("text/html") === true;
}

/** Matches the paths of a route such as `/runs/:id`, in which each name stands for one segment. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(".", "\\.").replace(/:\w+/g, "[^/]+")}$`);
}
