import { type AnyElysia, Elysia } from "elysia";
import { Refusal } from "../core/context.ts";
import { answerError, InvalidInput } from "./answer.ts";
import { cors } from "./cors.ts";
import type { Edge } from "./edge.ts";
import { healthRoutes } from "./health.ts";

/**
 * Puts all routes together: the `fetch` that it returns answers every request, whatever a route throws.
 *
 * Elysia is set up with `normalize: false`, or it would strip unknown members silently; with `standardHostname: false`,
 * or a host of up to three characters would find no route; and with `onError` before every route, or it would not cover
 * them. `nowhere` answers people in a browser who open an address that does not exist.
 */
export function createApp(edge: Edge, routes: readonly AnyElysia[], nowhere: (request: Request) => Promise<Response>) {
  const app = new Elysia({ normalize: false, strictPath: true, handler: { standardHostname: false } })
    .onError({ as: "global" }, ({ request, error, code }) =>
      code === "NOT_FOUND" ? notFound(request) : failed("edge", error),
    )
    .use(healthRoutes(edge));
  for (const route of routes) app.use(route);

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
      return isForPeople(path, request) ? nowhere(request) : failed("unknown", new Refusal("not_found"));
    }
    const headers = methods.includes("OPTIONS") ? { ...cors, allow: methods } : { allow: methods };
    return failed("unknown", new Refusal("method_not_allowed"), headers);
  }

  function failed(route: string, error: unknown, headers = {}): Response {
    const { response, code } = answerError(edge, route, error, headers);
    edge.answered(route, response.status, code);
    return response;
  }

  return {
    failed: (error: unknown) => failed("edge", error),
    fetch: (request: Request): Response | Promise<Response> =>
      hasSeveralHosts(request) ? failed("edge", severalHosts()) : app.fetch(withHost(request)),
  };
}

/** Browsers accept `text/html` when somebody opens an address, and in no other request. */
function isForPeople(path: string, { method, headers }: Request): boolean {
  return method === "GET" && !path.startsWith("/api/") && headers.get("accept")?.includes("text/html") === true;
}

/** RFC 9112 3.2. Bun takes the first of several `Host` lines for the URL, and joins all of them in the header. */
function hasSeveralHosts({ headers }: Request): boolean {
  return headers.get("host")?.includes(",") === true;
}

function severalHosts(): InvalidInput {
  return new InvalidInput([{ path: "", code: "bad_value", message: "The request has more than one Host header." }]);
}

const originals = new WeakMap<Request, Request>();

/** HTTP/1.0 and an empty Host leave a URL that is a path only, in which Elysia finds no route. */
function withHost(request: Request): Request {
  if (!request.url.startsWith("/")) return request;
  const copy = new Request(`http://localhost${request.url}`, request);
  originals.set(copy, request);
  return copy;
}

/** Notes that `copy` was made from `request`, so that {@link originalOf} finds the request that the listener knows. */
export function standsFor(copy: Request, request: Request): Request {
  originals.set(copy, originalOf(request));
  return copy;
}

/** The request that the listener was given: `request` itself, unless it is a copy. */
export function originalOf(request: Request): Request {
  return originals.get(request) ?? request;
}

/** Matches the paths of a route such as `/runs/:id`, in which each name stands for one segment. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(".", "\\.").replace(/:\w+/g, "[^/]+")}$`);
}

/** The path of a URL, cut out by hand: `new URL()` would decode `%74` and join `//`, which are other paths here. */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const end = url.indexOf("?", start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}
