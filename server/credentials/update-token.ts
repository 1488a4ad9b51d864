import type { Scope } from "../../openapi/schema/ticket.ts";
import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import { requireName } from "../core/names.ts";
import type { Value } from "../core/store.ts";
import { type Reach, scopesText, setReachStep } from "./create-token.ts";
import { scopesOf, type TokenRow } from "./list-tokens.ts";

/** What is absent stays; lists are replaced. Holds from the next request on. */
export interface TokenChange {
  name?: string | undefined;
  reach?: Reach | undefined;
  scopes?: Scope[] | undefined;
  requestsPerWindow?: number | undefined;
}

export async function updateToken({
  ctx,
  input,
}: {
  ctx: Context;
  input: { id: string; change: TokenChange };
}): Promise<{ id: string }> {
  requireAdmin(ctx);
  const { id, change } = input;
  if (change.name !== undefined) requireName(change.name);
  const auditId = ctx.newId();

  await ctx.store.write(function* (tx) {
    const token = yield* tx.one<TokenRow>("select * from api_token where id = $1", [id]);
    if (!token) throw new Refusal("not_found", `there is no API token ${id}`);
    if (token.revoked_at !== null) throw new Refusal("conflict", "this token is revoked and stays as it is");

    const listed = yield* tx.all<{ project_id: string }>(
      "select project_id from api_token_project where token_id = $1 order by project_id",
      [id],
    );
    const from: Record<string, unknown> = {};
    const to: Record<string, unknown> = {};
    const differs = (member: string, was: Value | string[], is: Value | string[]) => {
      from[member] = was;
      to[member] = is;
    };

    if (change.name !== undefined) differs("name", token.name, change.name);
    if (change.scopes !== undefined) differs("scopes", scopesOf(token.scopes), change.scopes);
    if (change.requestsPerWindow !== undefined) differs("limit", token.requests_per_window, change.requestsPerWindow);
    if (change.reach !== undefined) {
      const was = token.reaches_all === 1 ? "all" : listed.map(({ project_id }) => project_id);
      differs("reach", was, change.reach);
      yield* setReachStep(tx, id, change.reach);
    }
    yield* tx.run(
      `update api_token set name = $2, scopes = $3, requests_per_window = $4, reaches_all = $5 where id = $1`,
      [
        id,
        change.name ?? token.name,
        change.scopes === undefined ? token.scopes : scopesText(change.scopes),
        change.requestsPerWindow ?? token.requests_per_window,
        change.reach === undefined ? token.reaches_all : change.reach === "all" ? 1 : 0,
      ],
    );
    yield* audit(tx, ctx, auditId, "token.update", `token ${id}`, { from, to });
  });
  ctx.changed?.({ kind: "token", id });
  return { id };
}
