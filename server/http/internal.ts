import { Elysia } from "elysia";
import { limits } from "../../openapi/schema/limits.ts";
import { type Actor, type Context, Refusal } from "../access/context.ts";
import { hashOf } from "../access/credential.ts";
import type { Row } from "../store/store.ts";
import { answer, answerError } from "./answer.ts";
import { BodyTooLarge, readBody } from "./body.ts";
import type { Edge } from "./edge.ts";
import type { Composed, Typed } from "./typed.ts";

/** A call of the dashboard. Its role is part of its type: a route without one does not compile. */
export interface InternalRoute {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path: `/internal/${string}`;
  role: "admin" | "member";
  /** Returns the answer, with 200; `body` is the parsed JSON of a change. */
  handle(call: InternalCall): Promise<object>;
}

/** `Told` is what callers are told to send; what came has still to be looked at. */
export interface InternalCall<Told extends { body?: unknown; query?: unknown } = object> {
  ctx: Context;
  params: Record<string, string>;
  query: URLSearchParams;
  body: unknown;
  readonly [told]?: Told;
}
declare const told: unique symbol;

type Member = Extract<Actor, { kind: "member" }>;

const sessionCookie = "intake_session";

/** The one way in for everything under `/internal/`: session, origin, role, body, use case, answer. */
export function internalRoutes<const Routes extends readonly InternalRoute[]>(edge: Edge, routes: Routes) {
  const app = new Elysia();
  for (const route of routes) {
    app.route(
      route.method,
      route.path,
      ({ request, params }) => answerInternal(edge, route, request, params as Record<string, string>),
      { parse: "none" },
    );
  }
  // Without a session nobody learns which addresses there are.
  app.all("/internal/*", ({ request }) => answerInternal(edge, nowhere, request, {}), { parse: "none" });
  return app as unknown as Composed<{ [I in keyof Routes]: TypedRoute<Routes[I]> }>;
}

type TypedRoute<Route extends InternalRoute> = Route["handle"] extends (
  call: InternalCall<infer Told>,
) => Promise<infer Answer>
  ? Typed<Route["method"], Route["path"], Told & { answers: { 200: Answer } }>
  : never;

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
  const name = `${route.method} ${route.path}`;
  try {
    const member = await signedIn(edge, request);
    requireSameSite(request);
    if (route.role === "admin" && member.role !== "admin") throw new Refusal("permission_denied");
    const body =
      route.method === "GET" || route.method === "DELETE"
        ? undefined
        : await readJson(edge, request, limits.ticketBodyBytes);
    const query = new URLSearchParams(request.url.split("?")[1]?.split("#")[0] ?? "");
    const result = await route.handle({ ctx: { ...edge.context, actor: member }, params, query, body });
    edge.answered(name, 200, "ok");
    return answer(edge, 200, JSON.stringify(result));
  } catch (error) {
    const { response, code } = answerError(edge, name, error);
    edge.answered(name, response.status, code);
    return response;
  }
}

interface SessionRow extends Row {
  id: string;
  name: string;
  role: "admin" | "member";
}

/** By cookie only; the role is read each time, so that a change holds at once. */
async function signedIn(edge: Edge, request: Request): Promise<Member> {
  const secret = cookieOf(request.headers.get("cookie") ?? "", sessionCookie);
  const row = await edge.context.store.one<SessionRow>(
    `select m.id, m.name, m.role from session s join member m on m.id = s.member_id
     where s.hash = $1 and s.expires_at > $2 and m.removed_at is null`,
    [hashOf(secret ?? ""), edge.context.now()],
  );
  if (!row) throw new Refusal("not_signed_in");
  return { kind: "member", id: row.id, name: row.name, role: row.role };
}

function cookieOf(header: string, name: string): string | undefined {
  for (const part of header.split(";")) {
    const [key = "", ...value] = part.split("=");
    if (key.trim() === name) return value.join("=").trim();
  }
  return undefined;
}

/** A page of another site can send a cookie along, but cannot forge where it stands. */
export function requireSameSite(request: Request) {
  if (request.method === "GET" || request.method === "HEAD") return;
  const site = request.headers.get("sec-fetch-site");
  if (site === "same-origin") return;
  const origin = request.headers.get("origin");
  const sameHost = origin !== null && URL.parse(origin)?.host === request.headers.get("host");
  if (site !== null || !sameHost) throw new Refusal("cross_site_request");
}

/** JSON only: a form cannot send it across sites without a preflight. */
export async function readJson(edge: Edge, request: Request, max: number): Promise<unknown> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") throw new Refusal("invalid_input", "Send JSON.");
  const bytes = await readBody(edge, request, max).catch((error) => {
    throw error instanceof BodyTooLarge ? new Refusal("invalid_input", "The body is too large.") : error;
  });
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new Refusal("invalid_input", "The body is not JSON.");
  }
}
