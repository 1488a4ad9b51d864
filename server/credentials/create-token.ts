import { limits } from "../../openapi/schema/limits.ts";
import type { Scope } from "../../openapi/schema/ticket.ts";
import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import { fingerprintOf, hashOf, newCredential, prefixes } from "../core/credential.ts";
import { requireName } from "../core/names.ts";
import type { Step, Tx } from "../core/store.ts";

/** `"all"`: every project, later ones included. A list: these, and no later one. */
export type Reach = "all" | string[];

export interface TokenInput {
  name: string;
  reach: Reach;
  /** May be empty: the token then creates nothing. */
  scopes: Scope[];
  /** Requests per 60 seconds, 1 to 1,000,000; 60 when absent. */
  requestsPerWindow?: number | undefined;
}

/** The value of the token is in this answer and nowhere else; only its SHA-256 is stored. */
export async function createToken({
  ctx,
  input,
}: {
  ctx: Context;
  input: TokenInput;
}): Promise<{ id: string; token: string; fingerprint: string }> {
  requireAdmin(ctx);
  const name = requireName(input.name);
  const [id, auditId, now] = [ctx.newId(), ctx.newId(), ctx.now()];
  const token = newToken();
  await ctx.store.write(function* (tx) {
    yield* createTokenStep(tx, { ...input, id, hash: token.hash, name, now, author: ctx.actor.name });
    yield* audit(tx, ctx, auditId, "token.create", `token ${id}`, {
      to: {
        name,
        reach: input.reach,
        scopes: input.scopes,
        limit: input.requestsPerWindow ?? limits.requestsPerWindow,
      },
    });
  });
  ctx.changed?.({ kind: "token", id });
  return { id, token: token.value, fingerprint: fingerprintOf(token.hash) };
}

export function newToken(): { value: string; hash: string } {
  const value = newCredential(prefixes.token);
  return { value, hash: hashOf(value) };
}

export function* createTokenStep(
  tx: Tx,
  token: TokenInput & { id: string; hash: string; now: number; author?: string },
): Step<void> {
  yield* tx.run(
    `insert into api_token (id, name, hash, scopes, reaches_all, requests_per_window, created_at, author_name)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      token.id,
      token.name,
      token.hash,
      scopesText(token.scopes),
      token.reach === "all" ? 1 : 0,
      token.requestsPerWindow ?? limits.requestsPerWindow,
      token.now,
      token.author ?? null,
    ],
  );
  yield* setReachStep(tx, token.id, token.reach);
}

/** Replaces the chosen list of projects; an archived project may be on it, an unknown one may not. */
export function* setReachStep(tx: Tx, tokenId: string, reach: Reach): Step<void> {
  yield* tx.run("delete from api_token_project where token_id = $1", [tokenId]);
  if (reach === "all") return;
  for (const projectId of new Set(reach)) {
    const project = yield* tx.one("select id from project where id = $1", [projectId]);
    if (!project) throw new Refusal("project_not_found", `there is no project ${projectId}`);
    yield* tx.run("insert into api_token_project (token_id, project_id) values ($1, $2)", [tokenId, projectId]);
  }
}

export function scopesText(scopes: readonly Scope[]): string {
  return [...new Set(scopes)].sort().join(" ");
}
