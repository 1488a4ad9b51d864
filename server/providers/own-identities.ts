import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireMember } from "../core/context.ts";
import type { Session } from "../core/session.ts";
import type { Row } from "../core/store.ts";
import { hasWayInStep, unlinkStep } from "./unlink.ts";

interface OwnRow extends Row {
  id: string;
  name: string;
  linked: number;
}

/** The enabled providers, and to which of them the member is linked. */
export async function ownIdentities({
  ctx,
  input: { session },
}: {
  ctx: Context;
  input: { session: Session };
}): Promise<{ items: { provider: string; name: string; linked: boolean }[] }> {
  requireMember(ctx);
  const rows = await ctx.store.all<OwnRow>(
    `select p.id, p.name, cast(count(i.subject) as integer) as linked
     from provider p left join identity i on i.issuer = p.issuer and i.member_id = $1
     where p.state = 'enabled' group by p.id, p.name order by p.name, p.id`,
    [session.member.id],
  );
  return { items: rows.map(({ id, name, linked }) => ({ provider: id, name, linked: linked > 0 })) };
}

/** Unlinks the member from a provider; other sessions that began there end. Refused when there would be no way left to sign in. */
export async function unlinkSelf({
  ctx,
  input: { session, provider },
}: {
  ctx: Context;
  input: { session: Session; provider: string };
}): Promise<{ provider: string }> {
  requireMember(ctx);
  const auditId = ctx.newId();
  const { id } = session.member;
  await ctx.store.write(function* (tx) {
    const { from, ended } = yield* unlinkStep(tx, { memberId: id, provider, except: session.id });
    if (!(yield* hasWayInStep(tx, id))) {
      throw new Refusal("conflict", "You could not sign in without it: choose a password or add a passkey first.");
    }
    yield* audit(tx, ctx, auditId, "member.unlink", `member ${id}`, { from, to: { ended } });
  });
  ctx.changed?.({ kind: "member", id });
  return { provider };
}
