import type { NewFields } from "../../server/core/fields.ts";
import { createToken } from "../../server/credentials/create-token.ts";
import type { TokenFields } from "../../server/credentials/token-fields.ts";
import type { Installation } from "./installation.ts";
import type { Target } from "./targets.ts";

export interface Token {
  id: string;
  token: string;
}

/** An API token for one test, so that tests do not share limits or keys. */
export function newToken({ ctx, made }: Installation, input: Partial<NewFields<TokenFields>> = {}): Promise<Token> {
  return createToken({
    ctx,
    input: { name: "CI", reach: [made.project.id], scopes: ["tickets:write"], limit: 1_000_000, ...input },
  });
}

export interface Call {
  path?: string;
  method?: string;
  token?: string | undefined;
  key?: string | undefined;
  /** Sent as JSON; a string is sent as it is. */
  body?: unknown;
  headers?: Record<string, string>;
}

export function post({ send }: Target, call: Call): Promise<Response> {
  const { path = "/api/v1/tickets", method = "POST", token, key, body = { title: "A ticket" }, headers = {} } = call;
  return send(path, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(key === undefined ? {} : { "idempotency-key": key }),
      "content-type": "application/json",
      ...headers,
    },
    ...(method === "GET" || method === "HEAD" ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
}

export async function ticketCount({ ctx }: Installation): Promise<number> {
  const row = await ctx.store.one<{ n: number }>("select cast(count(*) as integer) as n from ticket");
  return row?.n ?? 0;
}

/** Posts tickets with a new key each time until the server is gone; remembers every 201 by its key. */
export async function createUntilGone(url: string, token: string, acknowledged: Map<string, string>): Promise<void> {
  for (;;) {
    const key = crypto.randomUUID();
    try {
      const response = await createSurvivor(url, token, key);
      const text = await response.text();
      if (response.status === 201) acknowledged.set(key, text);
    } catch {
      return;
    }
  }
}

/** The same body for every key, so that a second request with the key is a repeat. */
export const survivor = JSON.stringify({ title: "Survives", description: "d".repeat(500) });

export function createSurvivor(url: string, token: string, key: string): Promise<Response> {
  return fetch(`${url}/api/v1/tickets`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": key },
    body: survivor,
  });
}
