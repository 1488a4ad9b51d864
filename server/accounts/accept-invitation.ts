import { audit } from "../core/audit.ts";
import { type Context, Refusal } from "../core/context.ts";
import { hashOf } from "../core/credential.ts";
import { requireName } from "../core/names.ts";
import type { Reader, Row } from "../core/store.ts";
import { hasSecondFactor, ownFactorsStep } from "../factors/own-factors.ts";
import { hashPassword } from "./passwords.ts";
import { requirePassword } from "./require-password.ts";
import { newSession, startSessionStep, type Visit } from "./session.ts";

interface Invitation {
  kind: "invite" | "reset";
  name: string;
  email: string;
  role: "admin" | "member";
  organisation: string;
}

interface InvitationRow extends Row {
  kind: "invite" | "reset";
  member_id: string;
  name: string;
  email: string;
  role: "admin" | "member";
}

/** Shows to whoever holds a link what the link is for. */
export async function showInvitation({
  ctx,
  input,
}: {
  ctx: Omit<Context, "actor">;
  input: { secret: string };
}): Promise<Invitation> {
  const { kind, name, email, role } = await requireInvitation(ctx.store, input.secret, ctx.now());
  const organisation = await ctx.store.one<{ name: string }>("select name from organisation");
  return { kind, name, email, role, organisation: organisation?.name ?? "" };
}

/**
 * Chooses a password with a link and starts a session. The link is void afterwards: of two people who use it at the
 * same time, one is refused. Undefined for whoever has a second factor: a link does not take its place, so that person
 * signs in with the new password.
 */
export async function acceptInvitation({
  ctx,
  input,
}: {
  ctx: Omit<Context, "actor">;
  input: { secret: string; name?: string | undefined; password: string; visit: Visit };
}): Promise<{ id: string; secret: string } | undefined> {
  const invitation = await requireInvitation(ctx.store, input.secret, ctx.now());
  const name = requireName(input.name ?? invitation.name);
  const hash = await hashPassword(requirePassword(input.password, invitation.email));
  const session = newSession(ctx);
  const [auditId, now] = [ctx.newId(), ctx.now()];
  const { kind, member_id: id, role } = invitation;
  const actor = { kind: "member", id, name, role } as const;
  const started = await ctx.store.write(function* (tx) {
    const used = yield* tx.one("delete from invitation where hash = $1 and expires_at > $2 returning hash", [
      hashOf(input.secret),
      now,
    ]);
    if (!used) throw spent();
    yield* tx.run(
      `update member set name = $2, password_hash = $3, joined_at = coalesce(joined_at, $4) where id = $1`,
      [id, name, hash, now],
    );
    yield* tx.run("delete from session where member_id = $1", [id]);
    const alone = !hasSecondFactor(yield* ownFactorsStep(tx, id));
    if (alone) {
      yield* startSessionStep(tx, session, {
        ...{ memberId: id, visit: input.visit, now, cutoff: ctx.cutoff },
        method: "link",
      });
    }
    yield* audit(tx, { ...ctx, actor }, auditId, kind === "reset" ? "member.password" : "member.join", `member ${id}`);
    return alone;
  });
  ctx.changed?.({ kind: "member", id });
  return started ? session : undefined;
}

async function requireInvitation(store: Reader, secret: string, now: number): Promise<InvitationRow> {
  const row = await store.one<InvitationRow>(
    `select i.kind, m.id as member_id, m.name, m.email, m.role
     from invitation i join member m on m.id = i.member_id
     where i.hash = $1 and i.expires_at > $2 and m.removed_at is null`,
    [hashOf(secret), now],
  );
  if (!row) throw spent();
  return row;
}

function spent(): Refusal {
  return new Refusal("not_found", "This link is used, too old or wrong. Ask an admin for a new one.");
}
