import type { TSchema } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Context } from "../core/context.ts";
import { answer, answerError, type HeaderFields } from "./answer.ts";
import { refuseCrossSite } from "./csrf.ts";
import type { Edge } from "./edge.ts";
import { checkInternal } from "./internal-check.ts";
import { callerOf } from "./internal-route.ts";
import type { BodyOf, RouteTypes, RouteTypesOf } from "./route-types.ts";
import { withSecurityHeaders } from "./security-headers.ts";
import { limitKeyOf } from "./source-address.ts";
import { StrangerBodies, tooMany } from "./stranger-bodies.ts";
import type { Composed } from "./typed.ts";

/** A call of a page that nobody has signed in to: setting up, signing in, following a link. */
interface UnauthenticatedRoute {
  method: "GET" | "POST";
  path: `/internal/${string}`;
  role: "anyone";
  body?: TSchema;
  /** Throws before the body is read. */
  admit?(request: Request): void;
  handle(call: UnauthenticatedCall<never>): Promise<object>;
}

interface UnauthenticatedCall<Body = undefined> {
  ctx: Omit<Context, "actor">;
  body: Body;
  request: Request;
  /** Further headers of the answer. */
  headers: HeaderFields;
}

/** Says a route once, like {@link internalRoute}. */
export function unauthenticatedRoute<
  const Method extends UnauthenticatedRoute["method"],
  const Path extends UnauthenticatedRoute["path"],
  Answer extends object,
  Body extends TSchema | undefined = undefined,
>(route: {
  method: Method;
  path: Path;
  body?: Body;
  admit?(request: Request): void;
  handle(call: UnauthenticatedCall<BodyOf<Body>>): Promise<Answer>;
}) {
  return { ...route, role: "anyone" } as unknown as UnauthenticatedRoute &
    RouteTypes<Method, Path, BodyOf<Body>, Answer>;
}

/** Strangers' calls that are answered at once, and of them from one address. A call counts once its body is there. */
const atOnce = 64;
const atOnceFromOne = 16;

export function unauthenticatedRoutes<const Routes extends readonly UnauthenticatedRoute[]>(
  edge: Edge,
  routes: Routes,
) {
  const app = new Elysia();
  const busy = new Busy();
  const bodies = new StrangerBodies(edge);

  async function answerUnauthenticated(route: UnauthenticatedRoute, request: Request): Promise<Response> {
    const started = performance.now();
    const name = `${route.method} ${route.path}`;
    const caller = callerOf(edge, request);
    const headers: HeaderFields = { "x-request-id": caller.requestId };
    const source = edge.sourceOf(request);
    const address = source === undefined ? "" : limitKeyOf(source);
    try {
      await refuseCrossSite(edge, request);
      route.admit?.(request);
      const body = route.method === "GET" ? undefined : await bodies.read(request, address);
      if (route.body) checkInternal(route.body, body);
      const ctx = { ...edge.context, ...caller };
      const result = await busy.run(address, () => route.handle({ ctx, body: body as never, request, headers }));
      edge.answered(name, 200, "ok", started);
      return withSecurityHeaders(answer(edge, 200, JSON.stringify(result), headers));
    } catch (error) {
      const { response, code } = answerError(edge, name, error, {}, { lasting: { "x-request-id": caller.requestId } });
      edge.answered(name, response.status, code, started);
      return withSecurityHeaders(response);
    }
  }

  for (const route of routes) {
    app.route(route.method, route.path, ({ request }) => answerUnauthenticated(route, request), {
      parse: "none",
      detail: { tags: [route.role] },
    });
  }
  return app as unknown as Composed<{ [I in keyof Routes]: RouteTypesOf<Routes[I]> }>;
}

/** Calls that are being answered, by where they come from. */
class Busy {
  readonly #from = new Map<string, number>();
  #all = 0;

  async run<T>(address: string, work: () => Promise<T>): Promise<T> {
    const own = this.#from.get(address) ?? 0;
    if (this.#all >= atOnce || own >= atOnceFromOne) throw tooMany();
    this.#from.set(address, own + 1);
    this.#all++;
    try {
      return await work();
    } finally {
      const left = (this.#from.get(address) ?? 0) - 1;
      if (left > 0) this.#from.set(address, left);
      else this.#from.delete(address);
      this.#all--;
    }
  }
}
