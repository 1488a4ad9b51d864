import type { CreateTicket, Ticket } from "../../openapi/schema/ticket.ts";
import { Refusal } from "../core/context.ts";
import type { RequestEntry } from "../core/request-entry.ts";
import { type AuthenticatedToken, authenticateToken, requireScope } from "../credentials/authenticate.ts";
import { answer } from "../http/answer.ts";
import { bearerOf } from "../http/bearer.ts";
import type { DirectRoute } from "../http/direct-route.ts";
import type { Edge } from "../http/edge.ts";
import {
  answerPublic,
  credential,
  PublicCall,
  type PublicRoute,
  type Refused,
  requestLimit,
  serverRuns,
} from "../http/public-route.ts";
import type { Typed } from "../http/typed.ts";
import { differingFields, fieldsDigest } from "./body-fingerprint.ts";
import { createTicket } from "./create.ts";
import { readIdempotencyKey } from "./idempotency-key.ts";
import { digestOf, InvalidTicket, type ReadTicket, readTicket } from "./read.ts";
import { findReplay, type Replay } from "./replay.ts";

const path = "/api/v1/tickets";

/** `POST /api/v1/tickets`. */
export function ticketRoutes(edge: Edge): DirectRoute[] {
  return [{ method: "POST", path, answer: (request) => answerTicket(edge, request) }];
}

/** The type of the route for typed clients. */
export type TicketRoutes = Typed<"post", typeof path, TicketTypes>;

interface TicketTypes {
  body: CreateTicket;
  headers: { authorization: string; "idempotency-key"?: string };
  answers: { 201: Ticket };
}

export function answerTicket(edge: Edge, request: Request): Promise<Response> {
  return answerPublic(route, new TicketCall(edge, request));
}

class TicketCall extends PublicCall<AuthenticatedToken> {
  /** The request's row in the token's request log. */
  readonly entry: RequestEntry = { at: this.edge.context.now(), status: 201, replayed: false, mismatch: false };
  /** Set by the row {@link body}. */
  read!: ReadTicket;
}

const route: PublicRoute<TicketCall> = {
  operation: "createTicket",
  recent: "tickets",
  order: [
    credential(authenticateToken, "invalid_api_token"), // 401
    requestLimit({
      policy: "token",
      limitOf: ({ caller }) => caller.requestsPerWindow,
      limiterOf: ({ edge }) => edge.limiters?.credential,
    }), // 429
    scope, // 403
    serverRuns, // 503
    idempotencyKey, // 400 invalid_idempotency_key
    body, // 400 invalid_input, or 201 replayed
    ticket, // everything else in one transaction: 400, 401, 403, 404, or 201 created or replayed
  ],
  log: logRequest,
};

function scope({ caller }: TicketCall): undefined {
  requireScope(caller, "tickets:write");
}

function idempotencyKey({ request, entry }: TicketCall): undefined {
  const key = readIdempotencyKey(request.headers);
  if (key !== undefined) entry.idempotencyKey = key;
}

/**
 * A bound key is looked up before the body is checked, so that a request whose body cannot be read or is wrong still
 * replays. With a correct body the transaction of {@link ticket} finds the key, so the key is looked up only once.
 */
async function body(call: TicketCall): Promise<Response | undefined> {
  const { edge, request, caller, entry } = call;
  try {
    call.read = await readTicket(edge, request);
    return undefined;
  } catch (error) {
    if (entry.idempotencyKey === undefined) throw error;
    const bound = await findReplay(edge.context.store, caller.id, entry.idempotencyKey);
    if (!bound) throw error;
    return replayed(call, bound, error instanceof InvalidTicket ? error.bodyDigest : undefined);
  }
}

async function ticket(call: TicketCall): Promise<Response> {
  const { edge, caller, entry, read } = call;
  const ctx = { ...edge.context, actor: { kind: "token", id: caller.id, name: "" } as const };
  const key =
    entry.idempotencyKey === undefined
      ? undefined
      : { value: entry.idempotencyKey, bodyDigest: digestOf(read.bytes), fields: fieldsDigest(read.ticket) };
  const made = await createTicket({ ctx, input: { tokenId: caller.id, ticket: read.ticket, key } });
  if (made.replay) {
    const response = replayed(call, made.replay, key?.bodyDigest);
    if (entry.mismatch && made.replay.fields !== null) entry.differs = differingFields(made.replay.fields, read.ticket);
    return response;
  }
  entry.ticketId = call.made = made.ticketId;
  edge.ticketed({ tokenId: caller.id, projectId: made.projectId, replayed: false, mismatch: false });
  call.headers["location"] = made.url;
  return answer(edge, 201, made.answer, call.headers);
}

function replayed(call: TicketCall, replay: Replay, bodyDigest: string | undefined): Response {
  const { edge, caller, entry, headers } = call;
  call.outcome = "replayed";
  entry.ticketId = call.made = replay.ticketId;
  entry.replayed = true;
  entry.mismatch = bodyDigest !== replay.bodyDigest;
  const { url, projectId } = JSON.parse(replay.answer) as Ticket;
  edge.ticketed({ tokenId: caller.id, projectId, replayed: true, mismatch: entry.mismatch });
  headers["location"] = url;
  headers["idempotent-replayed"] = "true";
  if (entry.mismatch) headers["idempotency-mismatch"] = "true";
  return answer(edge, 201, replay.answer, headers);
}

/** The request log of a token has every request of the token, those after it was revoked included. */
function logRequest(call: TicketCall, status: number, refused: Refused | undefined) {
  const { edge, request, entry } = call;
  const networkOf = () => edge.networkOf(request);
  if (!call.authenticated) {
    const presented = refused?.code === "invalid_api_token" ? bearerOf(request.headers) : undefined;
    if (presented !== undefined) edge.requestLog.refused(presented, networkOf);
    return;
  }
  if (refused) {
    entry.code = refused.code;
    if (refused.error instanceof Refusal) entry.reason = refused.error.reason;
  }
  entry.status = status;
  entry.ms = Math.max(0, edge.context.now() - entry.at);
  edge.requestLog.add(call.caller.id, entry, networkOf);
}
