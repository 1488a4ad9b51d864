import { InvalidInput } from "./answer.ts";
import type { DirectRoute } from "./direct-route.ts";
import type { Edge } from "./edge.ts";
import { type Fetch, fail } from "./fail.ts";

/**
 * Puts all routes together: the `fetch` that it returns answers every request, whatever a route throws. A direct route is
 * looked up by method and path. Everything else is loaded with the first request that is for no direct route, because
 * Elysia and the other routes are most of what a server would read at its start and keep in memory.
 */
export function createApp(edge: Edge, direct: readonly DirectRoute[], loadOthers: () => Promise<Fetch>) {
  const failed = (error: unknown, request?: Request) => fail(edge, "edge", error, request);
  const routes = new Map(direct.map(({ method, path, answer }) => [`${method} ${path}`, answer]));
  let others: Promise<Fetch> | undefined;

  return {
    failed,
    fetch(given: Request): Response | Promise<Response> {
      if (hasSeveralHosts(given)) return failed(severalHosts(), given);
      const request = withHost(given);
      const answer = routes.get(`${request.method} ${pathOf(request.url)}`);
      if (answer === undefined) {
        others ??= loadOthers().catch((error) => {
          // The next request tries again.
          others = undefined;
          throw error;
        });
        return others.then((fetch) => fetch(request));
      }
      try {
        const answered = answer(request);
        return answered instanceof Promise ? answered.catch((error) => failed(error, request)) : answered;
      } catch (error) {
        return failed(error, request);
      }
    },
  };
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

/** The path of a URL, cut out by hand: `new URL()` would decode `%74` and join `//`, which are other paths here. */
export function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const end = url.indexOf("?", start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}
