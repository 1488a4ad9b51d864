import type { TSchema } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { type Context, Refusal } from "../access/context.ts";
import { answer, answerError, type HeaderFields } from "./answer.ts";
import type { Edge } from "./edge.ts";
import { callerOf, requireSameSite } from "./internal.ts";
import { checkInternal } from "./internal-check.ts";
import { readJson } from "./json-body.ts";
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

/** Strangers' bodies that are read at once, and their size: 1 MiB in all. */
const atOnce = 64;
const bodyBytes = 16_384;

export function anyoneRoutes<const Routes extends readonly AnyoneRoute[]>(edge: Edge, routes: Routes) {
  const app = new Elysia();
  let busy = 0;

  async function answerAnyone(route: AnyoneRoute, request: Request): Promise<Response> {
    const name = `${route.method} ${route.path}`;
    const caller = callerOf(edge, request);
    const headers: HeaderFields = { "x-request-id": caller.requestId };
    busy++;
    try {
      requireSameSite(request);
      if (busy > atOnce) throw new Refusal("service_unavailable", "Too many people at once. Try again in a moment.");
      route.admit?.(request);
      const body = route.method === "GET" ? undefined : await readJson(edge, request, bodyBytes);
      if (route.body) checkInternal(route.body, body);
      const ctx = { ...edge.context, ...caller };
      const result = await route.handle({ ctx, body: body as never, request, headers });
      edge.answered(name, 200, "ok");
      return answer(edge, 200, JSON.stringify(result), headers);
    } catch (error) {
      const { response, code } = answerError(edge, name, error, {}, { lasting: { "x-request-id": caller.requestId } });
      edge.answered(name, response.status, code);
      return response;
    } finally {
      busy--;
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
