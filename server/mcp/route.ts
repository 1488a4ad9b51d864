import { Elysia } from "elysia";
import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "../core/context.ts";
import { readPublicUrl } from "../core/settings.ts";
import { type AuthenticatedToken, authenticateToken } from "../credentials/authenticate.ts";
import { standsFor } from "../http/app.ts";
import { BodyTooLarge, readBody } from "../http/body.ts";
import type { Edge } from "../http/edge.ts";
import { answerPublic, credential, PublicCall, type PublicRoute, type Row, serverRuns } from "../http/public-route.ts";
import type { SendTicket } from "./create-ticket-tool.ts";

/** A ticket's body, and what the protocol puts around it. */
const bodyBytes = limits.ticketBodyBytes + 65_536;

/**
 * `POST /mcp`: the Model Context Protocol over streamable HTTP, without sessions. A call of the tool goes through the
 * ticket route itself, so that order, limits, log and errors are those of the API.
 */
export function mcpRoutes(edge: Edge, sendTicket: (request: Request) => Promise<Response>) {
  const route: PublicRoute<McpCall> = {
    operation: "mcp",
    order: [
      credential(authenticateToken, "invalid_api_token"), // 401
      ownOrigin, // 403
      serverRuns, // 503
      body, // 400
      toolsOf(sendTicket), // whatever the protocol answers
    ],
  };
  return new Elysia().post("/mcp", ({ request }) => answerPublic(route, new McpCall(edge, request)), { parse: "none" });
}

class McpCall extends PublicCall<AuthenticatedToken> {
  /** Set by {@link body}. */
  body!: Uint8Array;
}

/** Tokens do not belong in pages: a request that a browser sends for a page of another site is refused (MCP, Transports). */
async function ownOrigin({ edge, request }: McpCall): Promise<undefined> {
  const { store, publicUrl } = edge.context;
  const origin = request.headers.get("origin");
  if (origin === null) return;
  if (origin !== URL.parse(await readPublicUrl(store, publicUrl))?.origin) throw new Refusal("cross_site_request");
}

async function body(call: McpCall): Promise<undefined> {
  call.body = await readBody(call.edge, call.request, bodyBytes).catch((error) => {
    throw error instanceof BodyTooLarge ? new Refusal("invalid_input", "The body is too large.") : error;
  });
}

function toolsOf(sendTicket: (request: Request) => Promise<Response>): Row<McpCall> {
  // The handler and its libraries are loaded with the first request: most servers never get one.
  const handler = lazily(() => import("./http-handler.ts"));
  return async ({ edge, request, body }) => {
    const { answerMcp } = await handler();
    const response = await answerMcp(request, body, ticketsOf(request, sendTicket));
    const headers = new Headers(response.headers);
    headers.set("cache-control", "no-store");
    headers.set("x-content-type-options", "nosniff");
    headers.set("x-request-id", edge.context.newId());
    return new Response(response.body, { status: response.status, headers });
  };
}

/** Sends the tool's ticket to the ticket route with the credential of the request that called the tool. */
function ticketsOf(outer: Request, sendTicket: (request: Request) => Promise<Response>): SendTicket {
  return ({ body, idempotencyKey }) => {
    const inner = new Request("http://localhost/api/v1/tickets", {
      method: "POST",
      body,
      headers: {
        authorization: outer.headers.get("authorization") ?? "",
        "content-type": "application/json",
        "idempotency-key": idempotencyKey,
      },
    });
    return sendTicket(standsFor(inner, outer));
  };
}

function lazily<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load();
    return loaded;
  };
}
