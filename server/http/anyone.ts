import type { TSchema } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { type Context, Refusal } from "../access/context.ts";
import { answer, answerError, type HeaderFields } from "./answer.ts";
import type { Edge } from "./edge.ts";
import { guarded } from "./guarded.ts";
import { callerOf } from "./internal.ts";
import { checkInternal } from "./internal-check.ts";
import { readJson } from "./json-body.ts";
import { requireSameSite } from "./same-site.ts";
import { limitKeyOf } from "./source-address.ts";
import type { BodyOf, Told, ToldRoute } from "./told.ts";
import type { Composed } from "./typed.ts";

/** A call of a page that nobody has signed in to: setting up, signing in, following a link. */
export interface AnyoneRoute {
  method: "GET" | "POST";
  path: `/internal/${string}`;
  role: "anyone";
  body?: TSchema;
  /** Throws before the body is read. */
  admit?(request: Request): void;
  handle(call: AnyoneCall<never>): Promise<object>;
}

export interface AnyoneCall<Body = undefined> {
  ctx: Omit<Context, "actor">;
  body: Body;
  request: Request;
  /** Further headers of the answer. */
  headers: HeaderFields;
}

/** Says a route once, like {@link internalRoute}. */
export function anyoneRoute<
  const Method extends AnyoneRoute["method"],
  const Path extends AnyoneRoute["path"],
  Answer extends object,
  Body extends TSchema | undefined = undefined,
>(route: {
  method: Method;
  path: Path;
  body?: Body;
  admit?(request: Request): void;
  handle(call: AnyoneCall<BodyOf<Body>>): Promise<Answer>;
}) {
  return { ...route, role: "anyone" } as unknown as AnyoneRoute & Told<Method, Path, BodyOf<Body>, Answer>;
}

/** Strangers' calls that are answered at once, and the size of a body: 1 MiB in all. */
const atOnce = 64;
/** From one address, so that bodies that it never ends keep nobody else out. */
const atOnceFromOne = 16;
const bodyBytes = 16_384;

export function anyoneRoutes<const Routes extends readonly AnyoneRoute[]>(edge: Edge, routes: Routes) {
  const app = new Elysia();
  const busy = new Busy();

  async function answerAnyone(route: AnyoneRoute, request: Request): Promise<Response> {
    const name = `${route.method} ${route.path}`;
    const caller = callerOf(edge, request);
    const headers: HeaderFields = { "x-request-id": caller.requestId };
    const source = edge.sourceOf(request);
    const address = source === undefined ? "" : limitKeyOf(source);
    const admitted = busy.take(address);
    try {
      await requireSameSite(edge, request);
      if (!admitted) throw new Refusal("service_unavailable", "Too many people at once. Try again in a moment.");
      route.admit?.(request);
      const body = route.method === "GET" ? undefined : await readJson(edge, request, bodyBytes);
      if (route.body) checkInternal(route.body, body);
      const ctx = { ...edge.context, ...caller };
      const result = await route.handle({ ctx, body: body as never, request, headers });
      edge.answered(name, 200, "ok");
      return guarded(answer(edge, 200, JSON.stringify(result), headers));
    } catch (error) {
      const { response, code } = answerError(edge, name, error, {}, { lasting: { "x-request-id": caller.requestId } });
      edge.answered(name, response.status, code);
      return guarded(response);
    } finally {
      busy.release(address);
    }
  }

  for (const route of routes) {
    app.route(route.method, route.path, ({ request }) => answerAnyone(route, request), {
      parse: "none",
      detail: { tags: [route.role] },
    });
  }
  return app as unknown as Composed<{ [I in keyof Routes]: ToldRoute<Routes[I]> }>;
}

/** Calls that are being answered, by where they come from. */
class Busy {
  readonly #from = new Map<string, number>();
  #all = 0;

  /** Counts it in, whether or not there was room. */
  take(address: string): boolean {
    const own = (this.#from.get(address) ?? 0) + 1;
    this.#from.set(address, own);
    return ++this.#all <= atOnce && own <= atOnceFromOne;
  }

  release(address: string) {
    const left = (this.#from.get(address) ?? 0) - 1;
    if (left > 0) this.#from.set(address, left);
    else this.#from.delete(address);
    this.#all--;
  }
}
