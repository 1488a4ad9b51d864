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
import { keepOpenWhile } from "./keep-open-while.ts";
import type { BodyOf, RouteTypes, RouteTypesOf } from "./route-types.ts";
import { withSecurityHeaders } from "./security-headers.ts";
import type { Composed } from "./typed.ts";
import { UnauthenticatedCalls } from "./unauthenticated-calls.ts";

/** Who may call: admins, every member, or people who are not signed in. */
type Role = "admin" | "member" | "anyone";

/** A call of the dashboard. Its role is part of its type: a route without one does not compile. */
interface InternalRoute {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path: `/internal/${string}`;
  role: Role;
  /**
   * The call changes rights, grants credits, deletes, or stops or starts something that others rely on: the member has to
   * prove again who they are when they last did so more than an hour ago.
   */
  sensitive?: boolean;
  /** The call is answered too while the admin who makes it has to enrol a second factor first. */
  enrolling?: boolean;
  /**
   * The answer to a GET contains something that grants a right, such as a signed link: the answer is never compressed
   * (BREACH).
   */
  secret?: boolean;
  /** The schema of the body, a closed object; other bodies are `invalid_input`, with every fault found. */
  body?: TSchema;
  /** For routes with the role `anyone`: refuses a call, by throwing, before its body is read. */
  admit?(request: Request): void | Promise<void>;
  /** Returns the answer: a value that is sent as JSON with 200, or a whole response. */
  handle(call: CallOf<Role, never>): Promise<object>;
}

/** What the handler of a route for members is given. */
interface MemberCall<Body> extends AnyoneCall<Body> {
  ctx: Context;
  session: Session;
  /** The names in the path. */
  params: Record<string, string>;
  query: URLSearchParams;
}

/** What the handler of a route for anyone is given. */
interface AnyoneCall<Body> {
  ctx: Omit<Context, "actor">;
  body: Body;
  request: Request;
  /** Further headers of the answer. */
  headers: HeaderFields;
}

type CallOf<Caller extends Role, Body> = Caller extends "anyone" ? AnyoneCall<Body> : MemberCall<Body>;

/** Declares a route: the body's schema is checked, and is the body's type in the handler and in the page. */
export function internalRoute<
  const Method extends InternalRoute["method"],
  const Path extends InternalRoute["path"],
  const Caller extends Role,
  Answer extends object,
  Body extends TSchema | undefined = undefined,
>(route: {
  method: Method;
  path: Path;
  role: Caller;
  sensitive?: boolean;
  enrolling?: boolean;
  secret?: boolean;
  body?: Body;
  admit?: Caller extends "anyone" ? (request: Request) => void | Promise<void> : undefined;
  handle(call: CallOf<Caller, BodyOf<Body>>): Promise<Answer>;
}) {
  return route as unknown as InternalRoute & RouteTypes<Method, Path, BodyOf<Body>, Answer>;
}

/** Handles every request under `/internal/`. The given routes for anyone share their limits. */
export function internalRoutes<const Routes extends readonly InternalRoute[]>(edge: Edge, routes: Routes) {
  const app = new Elysia();
  const unauthenticated = new UnauthenticatedCalls(edge);
  for (const route of routes) {
    app.route(
      route.method,
      route.path,
      ({ request, params }) =>
        keepOpenWhile(edge, request, () =>
          answerInternal(edge, unauthenticated, route, request, params as Record<string, string>),
        ),
      { parse: "none", detail: { tags: [route.role] } },
    );
  }
  return app as unknown as Composed<{ [I in keyof Routes]: RouteTypesOf<Routes[I]> }>;
}

/**
 * Every other path under `/internal/`: 401 without a session, so that nobody learns which paths there are, else 404.
 */
export function internalNowhere(edge: Edge): Elysia {
  const app = new Elysia();
  const unauthenticated = new UnauthenticatedCalls(edge);
  app.all("/internal/*", ({ request }) => answerInternal(edge, unauthenticated, nowhere, request, {}), {
    parse: "none",
  });
  return app;
}

const nowhere: InternalRoute = {
  method: "GET",
  path: "/internal/*",
  role: "member",
  handle: () => Promise.reject(new Refusal("not_found")),
};

/** The order of answers stands in the order of the lines: the first that throws is the answer. */
async function answerInternal(
  edge: Edge,
  unauthenticated: UnauthenticatedCalls,
  route: InternalRoute,
  request: Request,
  params: Record<string, string>,
): Promise<Response> {
  const started = performance.now();
  const name = `${route.method} ${route.path}`;
  const caller = callerOf(edge, request);
  const ctx = { ...edge.context, ...caller };
  const headers: HeaderFields = { "x-request-id": caller.requestId };
  try {
    const session = route.role === "anyone" ? undefined : await edge.sessionOf(ctx, request); // 401
    await refuseCrossSite(edge, request); // 403
    if (session)
      requireRights(route, session, ctx.now()); // 403
    else await route.admit?.(request); // 429
    // Only JSON is accepted: a form of another site cannot send JSON without a preflight.
    const readBody = () =>
      session ? readJson(edge, request, limits.ticketBodyBytes) : unauthenticated.readBody(request);
    const body = route.method === "GET" || route.method === "DELETE" ? undefined : await readBody(); // 400, 408, 429, 503
    if (route.body) checkInternal(route.body, body); // 400
    const call = { ctx, body: body as never, request, headers };
    const result = session
      ? await route.handle({
          ...call,
          ctx: { ...ctx, actor: session.member },
          session,
          params,
          query: queryOf(request),
        })
      : await unauthenticated.run(request, () => route.handle(call)); // 503
    edge.answered(name, 200, "ok", started);
    if (result instanceof Response) return withSecurityHeaders(result);
    const json = jsonOf(result);
    // Answers to changes are not compressed either, because they may contain a secret that is shown once.
    const compressible = session && route.method === "GET" && !route.secret;
    const text = compressible ? await compressJson(request, json, headers) : json.text;
    return withSecurityHeaders(answer(edge, 200, text, headers));
  } catch (thrown) {
    const error = thrown instanceof InvalidCursor ? new Refusal("invalid_input", `${thrown.message}.`) : thrown;
    const { response, code } = answerError(
      edge,
      name,
      error,
      request,
      {},
      { lasting: { "x-request-id": caller.requestId } },
    );
    edge.answered(name, response.status, code, started);
    return withSecurityHeaders(response);
  }
}

/** Answers with the same object share one JSON text and its compressed bytes. */
function jsonOf(result: object): JsonText {
  const json = jsons.get(result) ?? { text: JSON.stringify(result), coded: {} };
  jsons.set(result, json);
  return json;
}

const jsons = new WeakMap<object, JsonText>();

function requireRights({ role, sensitive, enrolling }: InternalRoute, session: Session, now: number) {
  if (session.mustEnrol && !enrolling) throw new Refusal("factor_required");
  if (role === "admin" && session.member.role !== "admin") throw new Refusal("permission_denied");
  if (sensitive) requireRecentPassword(session, now);
}

function queryOf({ url }: Request): URLSearchParams {
  return new URLSearchParams(url.split("?")[1]?.split("#")[0] ?? "");
}

/** The part of the context that the audit log records beside the member: the request's id and network. */
function callerOf(edge: Edge, request: Request): { requestId: string; network?: string } {
  const network = edge.networkOf(request);
  return { requestId: edge.context.newId(), ...(network === undefined ? {} : { network }) };
}
