import { Elysia } from "elysia";
import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "../core/context.ts";
import { readPublicUrl } from "../core/settings.ts";
import { StoreUnavailable } from "../core/store.ts";
import { authenticateToken } from "../credentials/authenticate.ts";
import { answerError } from "../http/answer.ts";
import { standsFor } from "../http/app.ts";
import { bearerOf } from "../http/bearer.ts";
import { BodyTooLarge, readBody } from "../http/body.ts";
import type { Edge } from "../http/edge.ts";
import type { SendTicket } from "./create-ticket-tool.ts";

const route = "mcp";
/** A ticket's body, and what the protocol puts around it. */
const bodyBytes = limits.ticketBodyBytes + 65_536;

/**
 * `POST /mcp`: the Model Context Protocol over streamable HTTP, without sessions. A call of the tool goes through the
 * ticket route itself, so that order, limits, log and errors are those of the API.
 */
export function mcpRoutes(edge: Edge, sendTicket: (request: Request) => Promise<Response>) {
  // Not needed by a server that nobody asks: what it costs is paid with the first call.
  const handler = lazily(() => import("./http-handler.ts"));
  const app = new Elysia();
  app.post(
    "/mcp",
    async ({ request }) => {
      const started = performance.now();
      const taken = edge.take();
      try {
        const token = await authenticateToken(edge.context.store, bearerOf(request.headers));
        if (!token) throw new Refusal("invalid_api_token");
        await requireOwnOrigin(edge, request);
        if (!taken) throw new StoreUnavailable("shutting down");
        const body = await readBody(edge, request, bodyBytes).catch((error) => {
          throw error instanceof BodyTooLarge ? new Refusal("invalid_input", "The body is too large.") : error;
        });
        const { answerMcp } = await handler();
        const response = await answerMcp(request, body, ticketsOf(request, sendTicket));
        edge.answered(route, response.status, "ok", started);
        const headers = new Headers(response.headers);
        headers.set("cache-control", "no-store");
        headers.set("x-content-type-options", "nosniff");
        headers.set("x-request-id", edge.context.newId());
        return new Response(response.body, { status: response.status, headers });
      } catch (error) {
        const { response, code } = answerError(edge, route, error);
        edge.answered(route, response.status, code, started);
        return response;
      } finally {
        if (taken) edge.release();
      }
    },
    { parse: "none" },
  );
  return app;
}

/** Tokens do not belong in pages: a request that a browser sends for one of another site is refused (MCP, Transports). */
async function requireOwnOrigin({ context: { store, publicUrl } }: Edge, request: Request) {
  const origin = request.headers.get("origin");
  if (origin === null) return;
  if (origin !== URL.parse(await readPublicUrl(store, publicUrl))?.origin) throw new Refusal("cross_site_request");
}

/** With the credential of whoever calls the tool. */
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
