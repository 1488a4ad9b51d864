import type { TSchema } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { limits } from "../../openapi/schema/limits.ts";
import { type Context, Refusal } from "../core/context.ts";
import { InvalidCursor } from "../core/page.ts";
import { requireRecentPassword, type Session } from "../core/session.ts";
import { answer, answerError, type HeaderFields } from "./answer.ts";
import { compressJson, type JsonText } from "./compress-json.ts";
import { refuseCrossSite } from "./csrf.ts";
import type { Edge } from "./edge.ts";
import { checkInternal } from "./internal-check.ts";
import { readJson } from "./json-body.ts";
import type { BodyOf, RouteTypes, RouteTypesOf } from "./route-types.ts";
import { withSecurityHeaders } from "./security-headers.ts";
import type { Composed } from "./typed.ts";

/** A call of the dashboard. Its role is part of its type: a route without one does not compile. */
interface InternalRoute {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path: `/internal/${string}`;
  role: "admin" | "member";
  /**
   * Gives rights away or takes them, grants credits, deletes, or stops or starts something that others rely on: the
   * password is asked for again when it was given more than an hour ago.
   */
  sensitive?: boolean;
  /** The answer to a GET holds something that grants a right, a signed link for one: it is never compressed (BREACH). */
  secret?: boolean;
  /** What a change takes, as a closed object; other bodies are `invalid_input`, with every fault found. */
  body?: TSchema;
  /** Returns the answer, with 200 and as JSON, or a whole response where it is none. */
  handle(call: InternalCall<never>): Promise<object>;
}

interface InternalCall<Body = undefined> {
  ctx: Context;
  /** Of whoever calls. */
  session: Session;
  params: Record<string, string>;
  query: URLSearchParams;
  body: Body;
  request: Request;
  /** Further headers of the answer. */
  headers: HeaderFields;
}

/** Says a route once: the body's schema is checked, and is its type here and in the page. */
export function internalRoute<
  const Method extends InternalRoute["method"],
  const Path extends InternalRoute["path"],
  Answer extends object,
  Body extends TSchema | undefined = undefined,
>(route: {
  method: Method;
  path: Path;
  role: InternalRoute["role"];
  sensitive?: boolean;
  secret?: boolean;
  body?: Body;
  handle(call: InternalCall<BodyOf<Body>>): Promise<Answer>;
}) {
  return route as unknown as InternalRoute & RouteTypes<Method, Path, BodyOf<Body>, Answer>;
}

/** The one way in for everything under `/internal/`: session, origin, role, body, use case, answer. */
export function internalRoutes<const Routes extends readonly InternalRoute[]>(edge: Edge, routes: Routes) {
  const app = new Elysia();
  for (const route of routes) {
    app.route(
      route.method,
      route.path,
      ({ request, params }) => answerInternal(edge, route, request, params as Record<string, string>),
      { parse: "none", detail: { tags: [route.role] } },
    );
  }
  return app as unknown as Composed<{ [I in keyof Routes]: RouteTypesOf<Routes[I]> }>;
}

/** Every other address below: without a session nobody learns which there are. */
export function internalNowhere(edge: Edge): Elysia {
  const app = new Elysia();
  app.all("/internal/*", ({ request }) => answerInternal(edge, nowhere, request, {}), { parse: "none" });
  return app;
}

const nowhere: InternalRoute = {
  method: "GET",
  path: "/internal/*",
  role: "member",
  handle: () => Promise.reject(new Refusal("not_found")),
};

async function answerInternal(
  edge: Edge,
  route: InternalRoute,
  request: Request,
  params: Record<string, string>,
): Promise<Response> {
  const started = performance.now();
  const name = `${route.method} ${route.path}`;
  const caller = callerOf(edge, request);
  const headers: HeaderFields = { "x-request-id": caller.requestId };
  try {
    const session = await edge.sessionOf({ ...edge.context, ...caller }, request);
    await refuseCrossSite(edge, request);
    if (route.role === "admin" && session.member.role !== "admin") throw new Refusal("permission_denied");
    if (route.sensitive) requireRecentPassword(session, edge.context.now());
    // JSON only: a form cannot send it across sites without a preflight.
    const body =
      route.method === "GET" || route.method === "DELETE"
        ? undefined
        : await readJson(edge, request, limits.ticketBodyBytes);
    if (route.body) checkInternal(route.body, body);
    const query = new URLSearchParams(request.url.split("?")[1]?.split("#")[0] ?? "");
    const ctx = { ...edge.context, ...caller, actor: session.member };
    const result = await route.handle({ ctx, session, params, query, body: body as never, request, headers });
    edge.answered(name, 200, "ok", started);
    if (result instanceof Response) return withSecurityHeaders(result);
    const json = jsonOf(result);
    // What is shown once is the answer to a change: these are not compressed either.
    const compressible = route.method === "GET" && !route.secret;
    const text = compressible ? await compressJson(request, json, headers) : json.text;
    return withSecurityHeaders(answer(edge, 200, text, headers));
  } catch (thrown) {
    const error = thrown instanceof InvalidCursor ? new Refusal("invalid_input", `${thrown.message}.`) : thrown;
    const { response, code } = answerError(edge, name, error, {}, { lasting: { "x-request-id": caller.requestId } });
    edge.answered(name, response.status, code, started);
    return withSecurityHeaders(response);
  }
}

/** What many pages are given at once is written once, and compressed once. */
function jsonOf(result: object): JsonText {
  const json = jsons.get(result) ?? { text: JSON.stringify(result), coded: {} };
  jsons.set(result, json);
  return json;
}

const jsons = new WeakMap<object, JsonText>();

/** What the audit log says of a call beside who it was. */
export function callerOf(edge: Edge, request: Request): { requestId: string; network?: string } {
  const network = edge.networkOf(request);
  return { requestId: edge.context.newId(), ...(network === undefined ? {} : { network }) };
}
