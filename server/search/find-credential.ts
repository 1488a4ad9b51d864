import { type Context, requireMember } from "../core/context.ts";
import { hashOf } from "../core/credential.ts";
import type { Hit } from "./hit.ts";

/**
 * Finds the API token or SDK key with this value, for somebody who found one in a log or a repository. Only the hash is
 * looked up, and nothing of the value is stored or logged. Names of tokens are for admins; every member may see a key.
 */
export async function findCredential({
  ctx,
  input: { value },
}: {
  ctx: Context;
  input: { value: string };
}): Promise<{ found: (Hit & { kind: "token" | "key" }) | null }> {
  requireMember(ctx);
  const hash = hashOf(value.trim());
  const isAdmin = ctx.actor.kind !== "member" || ctx.actor.role === "admin";
  const token = isAdmin
    ? await ctx.store.one<{ id: string; name: string; revoked_at: number | null }>(
        "select id, name, revoked_at from api_token where hash = $1",
        [hash],
      )
    : undefined;
  if (token) {
    const where = token.revoked_at === null ? null : "Revoked";
    const { id, name: title } = token;
    return { found: { kind: "token", id, title, where, href: `/settings/tokens/${id}`, exact: true } };
  }
  const key = await ctx.store.one<{ id: string; name: string; project: string }>(
    `select k.id, k.name, p.name as project from sdk_key k join project p on p.id = k.project_id
     where k.hash = $1 and p.deleted_at is null`,
    [hash],
  );
  if (!key) return { found: null };
  const { id, name: title, project: where } = key;
  return { found: { kind: "key", id, title, where, href: "/settings/keys", exact: true } };
}
