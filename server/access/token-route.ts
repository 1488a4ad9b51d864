import { isUuid } from "../../openapi/check.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { type Scope, scopes } from "../../openapi/schema/ticket.ts";
import type { InternalCall, InternalRoute } from "../http/internal.ts";
import { Refusal } from "./context.ts";
import { createToken, type Reach } from "./create-token.ts";
import { listTokens } from "./list-tokens.ts";
import { revokeToken } from "./revoke-token.ts";
import { updateToken } from "./update-token.ts";

/** Settings, API tokens: for admins only, the list too (interface.md, API token). */
export const tokenRoutes = [
  {
    method: "GET",
    path: "/internal/tokens",
    role: "admin",
    handle: ({ ctx, query }: InternalCall<{ query: { cursor?: string } }>) =>
      listTokens({ ctx, input: { cursor: query.get("cursor") ?? undefined, limit: limits.pageDefault } }),
  },
  {
    method: "POST",
    path: "/internal/tokens",
    role: "admin",
    handle: ({ ctx, body }: InternalCall<{ body: NewToken }>) => {
      const { name, reach, scopes = ["tickets:write"], requestsPerWindow } = readToken(body);
      if (name === undefined || reach === undefined) throw invalid("name and reach are required");
      return createToken({ ctx, input: { name, reach, scopes, requestsPerWindow } });
    },
  },
  {
    method: "PATCH",
    path: "/internal/tokens/:id",
    role: "admin",
    handle: ({ ctx, params, body }: InternalCall<{ body: Partial<NewToken> }>) =>
      updateToken({ ctx, input: { id: idOf(params), change: readToken(body) } }),
  },
  {
    method: "DELETE",
    path: "/internal/tokens/:id",
    role: "admin",
    handle: ({ ctx, params }: InternalCall) => revokeToken({ ctx, input: { id: idOf(params) } }),
  },
] as const satisfies readonly InternalRoute[];

interface NewToken {
  name: string;
  reach: Reach;
  /** `tickets:write` alone when absent. */
  scopes?: Scope[];
  /** Requests a minute. */
  limit?: number;
}

function idOf({ id = "" }: Record<string, string>): string {
  if (!isUuid(id)) throw new Refusal("not_found");
  return id.toLowerCase();
}

const members = new Set(["name", "reach", "scopes", "limit"]);

function readToken(body: unknown) {
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw invalid("send one object");
  for (const member of Object.keys(body)) if (!members.has(member)) throw invalid("an unknown member; leave it out");
  const { name, reach, scopes: chosen, limit } = body as Record<string, unknown>;
  if (name !== undefined && typeof name !== "string") throw invalid("name must be a string");
  if (reach !== undefined && !isReach(reach)) throw invalid('reach must be "all" or a list of project ids');
  if (chosen !== undefined && !isScopes(chosen)) throw invalid(`scopes must be a list out of ${scopes.join(", ")}`);
  if (limit !== undefined && !isLimit(limit)) {
    throw invalid(`limit must be a whole number from ${limits.requestsPerWindowMin} to ${limits.requestsPerWindowMax}`);
  }
  return { name, reach, scopes: chosen, requestsPerWindow: limit };
}

function isReach(value: unknown): value is Reach {
  return value === "all" || (Array.isArray(value) && value.every((id) => typeof id === "string" && isUuid(id)));
}

function isScopes(value: unknown): value is Scope[] {
  return Array.isArray(value) && value.every((scope) => scopes.includes(scope));
}

function isLimit(value: unknown): value is number {
  const { requestsPerWindowMin: min, requestsPerWindowMax: max } = limits;
  return typeof value === "number" && Number.isInteger(value) && value >= min && value <= max;
}

function invalid(message: string): Refusal {
  return new Refusal("invalid_input", message);
}
