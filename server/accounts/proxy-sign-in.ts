import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireMember } from "../core/context.ts";
import { hashOf } from "../core/credential.ts";
import { log } from "../core/log.ts";
import type { ProxyPerson, Session } from "../core/session.ts";
import type { Row, Step, Tx } from "../core/store.ts";
import { canSignIn } from "../factors/own-factors.ts";
import { newSession, startSessionStep, type Visit } from "./session.ts";

interface NamedRow extends Row {
  id: string;
  name: string;
  role: "admin" | "member";
}

/**
 * Starts a session for the member whom the access proxy names. Only members are let in: an admin adds them first. What
 * the proxy says counts for each request of the session, so it ends for whoever the proxy no longer names.
 */
export async function signInByProxy({
  ctx,
  input: { person, visit, former },
}: {
  ctx: Omit<Context, "actor">;
  input: { person: ProxyPerson | undefined; visit: Visit; former: readonly string[] };
}): Promise<{ id: string; secret: string }> {
  const { email } = requireNamed(person);
  const session = newSession(ctx);
  const [auditId, now] = [ctx.newId(), ctx.now()];
  const memberId = await ctx.store.write(function* (tx) {
    const member = yield* tx.one<NamedRow>(
      "select id, name, role from member where email = $1 and removed_at is null and role <> 'agent'",
      [email],
    );
    if (!member) return undefined;
    const { id, name, role } = member;
    for (const secret of former) yield* tx.run("delete from session where hash = $1", [hashOf(secret)]);
    yield* tx.run("update member set joined_at = coalesce(joined_at, $2) where id = $1", [id, now]);
    yield* startSessionStep(tx, session, {
      ...{ memberId: id, visit, now, cutoff: ctx.cutoff, method: "proxy" },
      // Whoever can prove more is asked for that before what could do harm.
      confirmedAt: (yield* hasOwnProofStep(tx, id)) ? 0 : now,
    });
    const actor = { kind: "member", id, name, role } as const;
    yield* audit(tx, { ...ctx, actor }, auditId, "session.create", `member ${id}`, { to: { by: "access proxy" } });
    return id;
  });
  if (memberId === undefined) {
    log.warn("the access proxy named somebody who is not a member", ctx.network ? { network: ctx.network } : {});
    throw new Refusal(
      "permission_denied",
      "Nobody here has the e-mail address that the access proxy knows you by. Ask an admin to invite you with that address.",
    );
  }
  ctx.changed?.({ kind: "member", id: memberId });
  return session;
}

/** For a member who has no password, passkey or provider, the word of the access proxy confirms who is there. */
export async function confirmByProxy({
  ctx,
  input: { session },
}: {
  ctx: Context;
  input: { session: Session };
}): Promise<{ id: string }> {
  requireMember(ctx);
  const [auditId, now] = [ctx.newId(), ctx.now()];
  const { id, member, method } = session;
  await ctx.store.write(function* (tx) {
    if (method !== "proxy" || (yield* hasOwnProofStep(tx, member.id))) {
      throw new Refusal(
        "conflict",
        "The access proxy does not confirm who you are here: use your password, passkey or provider.",
      );
    }
    yield* tx.run("update session set password_at = $2 where id = $1", [id, now]);
    const to = { by: "access proxy" };
    yield* audit(tx, ctx, auditId, "session.confirm", `member ${member.id}`, { to });
  });
  return { id };
}

/** Whether a member can prove by something else than the access proxy who is there. */
function* hasOwnProofStep(tx: Tx, memberId: string): Step<boolean> {
  return (yield* tx.one(`select id from member m where id = $1 and ${canSignIn}`, [memberId])) !== undefined;
}

function requireNamed(person: ProxyPerson | undefined): { email: string } {
  if (person === undefined) throw new Refusal("not_signed_in", "No access proxy says here who you are.");
  if (person !== "unclear") return person;
  log.warn("the header of the access proxy did not have one e-mail address");
  throw new Refusal(
    "invalid_input",
    "The access proxy does not say with one e-mail address who you are. Ask whoever runs it.",
  );
}
