import { Elysia } from "elysia";
import { limits } from "../../openapi/schema/limits.ts";
import { visitOf } from "../accounts/entry-route.ts";
import { cookie, cookieSecretsOf, cookiesOf, sessionCookie } from "../accounts/session-cookie.ts";
import { type Context, Refusal } from "../core/context.ts";
import type { Session } from "../core/session.ts";
import { answer, answerError } from "../http/answer.ts";
import type { Edge } from "../http/edge.ts";
import { keepOpenWhile } from "../http/keep-open-while.ts";
import { withSecurityHeaders } from "../http/security-headers.ts";
import { limitKeyOf } from "../http/source-address.ts";
import { UnauthenticatedCalls } from "../http/unauthenticated-calls.ts";
import { backChannelLogout } from "./back-channel-logout.ts";
import type { ProviderTools } from "./begin.ts";
import { type Finished, finishAtProvider } from "./finish.ts";
import { cookieNames, type Flow, flowMilliseconds, openFrom } from "./flow.ts";
import { ProviderFailed } from "./provider-failed.ts";
import { Turns } from "./turns.ts";

/** Providers whose calls are counted apart: more than there can be. */
const poolsMax = 2 * limits.providersMax;
/** Logout tokens that are checked at the same time, and that wait for it: 500 of at most 16 KiB are 8 MiB. */
const logoutTurns = { atOnce: 8, waitingMax: 500 };
const formType = "application/x-www-form-urlencoded";

/** The addresses of Intake that providers know: where they send browsers back to, and where they tell of sign-outs. */
export function callbackRoutes(edge: Edge, tools: ProviderTools) {
  const strangers = new UnauthenticatedCalls(edge);
  const logouts = new UnauthenticatedCalls(edge);
  const turns = new Turns(logoutTurns);
  /** The calls that wait for a provider, by its id. */
  const pools = new Map<string, UnauthenticatedCalls>();

  /** A provider that hangs occupies its own places alone. The id is one that was sealed here. */
  function poolOf(flow: Flow | undefined): UnauthenticatedCalls {
    if (!flow) return strangers;
    const known = pools.get(flow.provider);
    if (known || pools.size >= poolsMax) return known ?? strangers;
    const pool = new UnauthenticatedCalls(edge);
    pools.set(flow.provider, pool);
    return pool;
  }

  async function answered(
    route: string,
    request: Request,
    work: (ctx: Omit<Context, "actor">) => Promise<Response>,
  ): Promise<Response> {
    const started = performance.now();
    const network = edge.networkOf(request);
    const requestId = edge.context.newId();
    const ctx = { ...edge.context, requestId, ...(network === undefined ? {} : { network }) };
    try {
      const response = await keepOpenWhile(edge, request, () => work(ctx));
      edge.answered(route, response.status, "ok", started);
      return withSecurityHeaders(response);
    } catch (error) {
      const { response, code } = answerError(
        edge,
        route,
        error,
        request,
        {},
        { lasting: { "x-request-id": requestId } },
      );
      edge.answered(route, response.status, code, started);
      return withSecurityHeaders(response);
    }
  }

  async function limitAddress(request: Request) {
    const source = edge.sourceOf(request);
    if (source !== undefined) await strangers.limit(limitKeyOf(source));
  }

  return new Elysia()
    .get(
      "/sign-in/callback/:provider",
      ({ request, params: { provider } }) =>
        answered("GET /sign-in/callback/:provider", request, async (ctx) => {
          const flow = openFrom<Flow>(tools.sealing, "flow", cookiesOf(request, cookieNames.flow), ctx.now());
          const parameters = new URLSearchParams(request.url.split("?")[1]?.split("#")[0] ?? "");
          const finish = async () => {
            // Without a cookie nothing is asked of anybody.
            if (flow) await limitAddress(request);
            return poolOf(flow).run(request, async () => {
              const session = await sessionOf(edge, ctx, request);
              const browser = { session, visit: visitOf(ctx, request), former: cookieSecretsOf(request) };
              return finishAtProvider({ ctx, tools, input: { provider, flow, parameters, ...browser } });
            });
          };
          const finished = await finish().catch((error) => busy(error, flow));
          return sendOn(request, finished, { provider, purpose: flow?.purpose });
        }),
      { parse: "none" },
    )
    .post(
      "/sign-in/logout/:provider",
      ({ request, params: { provider } }) =>
        answered("POST /sign-in/logout/:provider", request, async (ctx) => {
          if (request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() !== formType) {
            throw new Refusal("invalid_input", `The body must be ${formType}.`);
          }
          const body = await logouts.readBytes(request).catch(() => {
            throw new Refusal("invalid_input", "The body is too large or did not arrive.");
          });
          const token = new URLSearchParams(new TextDecoder().decode(body)).get("logout_token") ?? "";
          try {
            // Elysia gives null for a segment whose percent encoding is no UTF-8.
            await turns.run(() => backChannelLogout({ ctx, tools, input: { provider: provider ?? "", token } }));
          } catch (error) {
            if (!(error instanceof ProviderFailed)) throw error;
            throw new Refusal("invalid_input", `The logout token was not accepted: ${error.message}.`);
          }
          return answer(edge, 200, "{}");
        }),
      { parse: "none" },
    );
}

/** Whoever comes back at a bad moment is a person with a browser, who is shown a page. */
function busy(error: unknown, flow: Flow | undefined): Finished {
  const passing = error instanceof Refusal && ["rate_limit_exceeded", "service_unavailable"].includes(error.code);
  if (!passing) throw error;
  return { to: "failed", failure: "busy", next: flow?.next ?? "/" };
}

async function sessionOf(edge: Edge, ctx: Omit<Context, "actor">, request: Request): Promise<Session | undefined> {
  try {
    const session = await edge.sessionOf(ctx, request);
    return session.mustEnrol ? undefined : session;
  } catch (error) {
    if (error instanceof Refusal && error.code === "not_signed_in") return undefined;
    throw error;
  }
}

/** Sends the browser on within this server. What began at the provider is over, so its cookie goes. */
function sendOn(
  request: Request,
  finished: Finished,
  { provider, purpose = "sign-in" }: { provider: string; purpose?: Flow["purpose"] | undefined },
): Response {
  const headers = new Headers({ "cache-control": "no-store", location: placeOf(finished, provider, purpose) });
  headers.append("set-cookie", cookie(request, { name: cookieNames.flow, value: "", seconds: 0 }));
  if (finished.to === "signed-in") {
    const { secret: value, days } = finished;
    headers.append("set-cookie", sessionCookie(request, value, days));
  }
  const kept = { seconds: flowMilliseconds / 1_000 };
  if (finished.to === "failed" && finished.pending !== undefined) {
    headers.append("set-cookie", cookie(request, { name: cookieNames.pending, value: finished.pending, ...kept }));
  }
  if (finished.to === "tried") {
    headers.append("set-cookie", cookie(request, { name: cookieNames.tried, value: finished.cookie, ...kept }));
  }
  return new Response(null, { status: 303, headers });
}

function placeOf(finished: Finished, provider: string, purpose: Flow["purpose"]): string {
  const by = encodeURIComponent(provider);
  switch (finished.to) {
    case "signed-in":
      return finished.next;
    case "linked":
    case "confirmed":
      return `/settings/profile?${finished.to}=${by}`;
    case "tried":
      return `/settings/sign-in?tried=${by}`;
    case "failed": {
      const query = `failed=${finished.failure}&with=${by}`;
      if (purpose === "try") return `/settings/sign-in?${query}`;
      if (purpose !== "sign-in") return `/settings/profile?${query}`;
      return `/sign-in?${query}${finished.next === "/" ? "" : `&next=${encodeURIComponent(finished.next)}`}`;
    }
  }
}
