import { Elysia } from "elysia";
import { limits } from "../../openapi/schema/limits.ts";
import type { CreateTicket, Ticket } from "../../openapi/schema/ticket.ts";
import { Refusal } from "../core/context.ts";
import type { RequestEntry } from "../core/request-entry.ts";
import { StoreUnavailable } from "../core/store.ts";
import { type AuthenticatedToken, authenticateToken, hasScope } from "../credentials/authenticate.ts";
import { answer, answerError, type HeaderFields } from "../http/answer.ts";
import { bearerOf } from "../http/bearer.ts";
import type { Edge } from "../http/edge.ts";
import type { Verdict } from "../http/rate-limit.ts";
import { aboutSdk, countSdk } from "../http/sdk-header.ts";
import type { Typed } from "../http/typed.ts";
import { differingFields, fieldsDigest } from "./body-fingerprint.ts";
import { createTicket } from "./create.ts";
import { digestOf, InvalidTicket, type ReadTicket, readTicket } from "./read.ts";
import { findReplay, type Replay } from "./replay.ts";

const route = "createTicket";
const path = "/api/v1/tickets";

/** `POST /api/v1/tickets`. Elysia parses nothing: it would read the body before the credential was looked at. */
export function ticketRoutes(edge: Edge) {
  const app = new Elysia().post(path, ({ request }) => answerTicket(edge, request), { parse: "none" });
  return app as unknown as Typed<"post", typeof path, TicketCall>;
}

interface TicketCall {
  body: CreateTicket;
  headers: { authorization: string; "idempotency-key"?: string };
  answers: { 201: Ticket };
}

export async function answerTicket(edge: Edge, request: Request): Promise<Response> {
  const started = performance.now();
  const taken = edge.take();
  let token: AuthenticatedToken | undefined;
  try {
    token = await authenticateToken(edge.context.store, bearerOf(request.headers));
    if (!token) throw new Refusal("invalid_api_token");
  } catch (error) {
    const { response, code } = answerError(edge, route, error, {}, { about: aboutSdk(request) });
    edge.answered(route, response.status, code, started);
    edge.arrived("tickets", request, { status: response.status, code, error });
    countSdk(edge, request, false);
    const presented = code === "invalid_api_token" ? bearerOf(request.headers) : undefined;
    if (presented !== undefined) edge.requestLog.refused(presented, () => edge.networkOf(request));
    if (taken) edge.release();
    return response;
  }
  const headers: HeaderFields = {};
  const entry: RequestEntry = { at: edge.context.now(), status: 201, replayed: false, mismatch: false };
  let response: Response;
  let refused: unknown;
  try {
    response = await inOrder(edge, request, token, headers, entry, taken);
  } catch (error) {
    const failed = answerError(edge, route, error, headers, { about: aboutSdk(request) });
    response = failed.response;
    entry.code = failed.code;
    if (error instanceof Refusal) entry.reason = error.reason;
    refused = error;
  }
  entry.status = response.status;
  entry.ms = Math.max(0, edge.context.now() - entry.at);
  edge.requestLog.add(token.id, entry, () => edge.networkOf(request));
  const code = entry.code ?? (entry.replayed ? "replayed" : "ok");
  edge.answered(route, response.status, code, started);
  edge.arrived("tickets", request, { status: response.status, code, made: entry.ticketId, error: refused });
  countSdk(edge, request, true);
  if (taken) edge.release();
  return response;
}

/** The order of answers after the credential: the first row that applies is thrown or returned. */
async function inOrder(
  edge: Edge,
  request: Request,
  token: AuthenticatedToken,
  headers: HeaderFields,
  entry: RequestEntry,
  taken: boolean,
): Promise<Response> {
  if (edge.limiter) {
    const verdict = edge.limiter.take(token.id, token.requestsPerWindow);
    writeLimit(headers, verdict);
    if (!verdict.admitted) throw new Refusal("rate_limit_exceeded");
  }
  if (!hasScope(token.scopes, "tickets:write")) throw new Refusal("insufficient_scope");

  if (!taken) throw new StoreUnavailable("shutting down");
  const key = idempotencyKeyOf(request.headers);
  if (key === undefined) return created(edge, headers, entry, token, await readTicket(edge, request), undefined);

  entry.idempotencyKey = key;
  let ticket: ReadTicket;
  try {
    ticket = await readTicket(edge, request);
  } catch (error) {
    // A bound key goes before the body, so a body that cannot be read or is wrong still replays. One that is right
    // finds the key inside the transaction, and no look-up is done twice.
    const bound = await findReplay(edge.context.store, token.id, key);
    if (!bound) throw error;
    return replayed(edge, headers, entry, token, bound, error instanceof InvalidTicket ? error.bodyDigest : undefined);
  }
  return created(edge, headers, entry, token, ticket, key);
}

async function created(
  edge: Edge,
  headers: HeaderFields,
  entry: RequestEntry,
  token: AuthenticatedToken,
  { ticket, bytes }: ReadTicket,
  keyValue: string | undefined,
): Promise<Response> {
  const ctx = { ...edge.context, actor: { kind: "token", id: token.id, name: "" } as const };
  const key =
    keyValue === undefined ? undefined : { value: keyValue, bodyDigest: digestOf(bytes), fields: fieldsDigest(ticket) };
  const made = await createTicket({ ctx, input: { tokenId: token.id, ticket, key } });
  if (made.replay) {
    const response = replayed(edge, headers, entry, token, made.replay, key?.bodyDigest);
    if (entry.mismatch && made.replay.fields !== null) entry.differs = differingFields(made.replay.fields, ticket);
    return response;
  }
  entry.ticketId = made.ticketId;
  edge.ticketed({ tokenId: token.id, projectId: made.projectId, replayed: false, mismatch: false });
  headers["location"] = made.url;
  return answer(edge, 201, made.answer, headers);
}

function replayed(
  edge: Edge,
  headers: HeaderFields,
  entry: RequestEntry,
  token: AuthenticatedToken,
  replay: Replay,
  bodyDigest: string | undefined,
): Response {
  entry.ticketId = replay.ticketId;
  entry.replayed = true;
  entry.mismatch = bodyDigest !== replay.bodyDigest;
  const { url, projectId } = JSON.parse(replay.answer) as Ticket;
  edge.ticketed({ tokenId: token.id, projectId, replayed: true, mismatch: entry.mismatch });
  headers["location"] = url;
  headers["idempotent-replayed"] = "true";
  if (entry.mismatch) headers["idempotency-mismatch"] = "true";
  return answer(edge, 201, replay.answer, headers);
}

/** RateLimit header fields as the IETF draft has them; on a refusal `t` is what Retry-After says. */
function writeLimit(headers: HeaderFields, { admitted, limit, remaining, seconds }: Verdict) {
  headers["ratelimit-policy"] = `"token";q=${limit};w=${limits.windowSeconds}`;
  headers["ratelimit"] = `"token";r=${remaining};t=${seconds}`;
  if (!admitted) headers["retry-after"] = String(seconds);
}

/** The header's bytes, one code point each; the surrounding blanks are HTTP's, not the key's. */
function idempotencyKeyOf(headers: Headers): string | undefined {
  const key = headers.get("idempotency-key");
  if (key === null) return undefined;
  if (key.length < limits.idempotencyKeyMin || key.length > limits.idempotencyKeyMax) {
    throw new Refusal("invalid_idempotency_key");
  }
  return key;
}
