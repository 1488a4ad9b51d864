import { limits } from "../../openapi/schema/limits.ts";
import { audit } from "../core/audit.ts";
import { type Context, Refusal } from "../core/context.ts";
import { hashOf, newSecret } from "../core/credential.ts";
import { publicUrlStep } from "../core/settings.ts";
import type { Row } from "../core/store.ts";
import { personStep } from "./members.ts";
import { newSession, startSessionStep, type Visit } from "./session.ts";

interface LinkRow extends Row {
  member_id: string;
  name: string;
  role: "admin" | "member";
}

/**
 * Makes a link with which a member signs in once, without a password and without a provider: the way in for whoever can
 * run commands on the server when no other works. Links of the member that were made before become void.
 */
export async function makeSignInLink({
  ctx,
  input: { id },
}: {
  ctx: Context;
  input: { id: string };
}): Promise<{ id: string; signInUrl: string; until: string }> {
  if (ctx.actor.kind !== "operator") throw new Refusal("permission_denied");
  const [secret, auditId, now] = [newSecret(), ctx.newId(), ctx.now()];
  const until = now + limits.signInLinkMinutes * 60_000;
  const signInUrl = await ctx.store.write(function* (tx) {
    yield* personStep(tx, id);
    yield* tx.run("delete from sign_in_link where member_id = $1 or expires_at <= $2", [id, now]);
    yield* tx.run("insert into sign_in_link (hash, member_id, expires_at) values ($1, $2, $3)", [
      hashOf(secret),
      id,
      until,
    ]);
    yield* audit(tx, ctx, auditId, "member.sign_in_link", `member ${id}`);
    // Browsers do not send the part after # to a server, so no log of a proxy contains the secret.
    return `${yield* publicUrlStep(tx, ctx.publicUrl)}/sign-in/link#${secret}`;
  });
  return { id, signInUrl, until: new Date(until).toISOString() };
}

/** Starts a session with a link, which is void afterwards. */
export async function useSignInLink({
  ctx,
  input: { secret, visit, former },
}: {
  ctx: Omit<Context, "actor">;
  input: { secret: string; visit: Visit; former: readonly string[] };
}): Promise<{ id: string; secret: string }> {
  const session = newSession(ctx);
  const [auditId, now] = [ctx.newId(), ctx.now()];
  const memberId = await ctx.store.write(function* (tx) {
    const link = yield* tx.one<LinkRow>(
      `select l.member_id, m.name, m.role from sign_in_link l join member m on m.id = l.member_id
       where l.hash = $1 and l.expires_at > $2 and m.removed_at is null`,
      [hashOf(secret), now],
    );
    const used = yield* tx.one("delete from sign_in_link where hash = $1 returning hash", [hashOf(secret)]);
    if (!link || !used) {
      throw new Refusal("not_found", "This link is used, too old or wrong. Make a new one on the server.");
    }
    const { member_id: id, name, role } = link;
    for (const one of former) yield* tx.run("delete from session where hash = $1", [hashOf(one)]);
    yield* startSessionStep(tx, session, { memberId: id, visit, now, cutoff: ctx.cutoff, method: "link" });
    const actor = { kind: "member", id, name, role } as const;
    yield* audit(tx, { ...ctx, actor }, auditId, "session.create", `member ${id}`, { to: { by: "sign-in link" } });
    return id;
  });
  ctx.changed?.({ kind: "member", id: memberId });
  return session;
}
