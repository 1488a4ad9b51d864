import { limits } from "../../openapi/schema/limits.ts";
import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireMember } from "../core/context.ts";
import { openState, sealState } from "../core/sealed-state.ts";
import type { Sealing } from "../core/sealing.ts";
import type { Session } from "../core/session.ts";
import { queueMail } from "../mail/new-mail.ts";
import { factorMail } from "./factor-mail.ts";
import { keyUri, newSharedSecret, stepOf } from "./one-time-code.ts";
import { ownFactorsStep } from "./own-factors.ts";
import { newRecoveryCodes, storeRecoveryCodesStep } from "./recovery-codes.ts";
import { sharedSecretAbout } from "./use-code.ts";

interface Begun {
  secret: string;
  session: string;
  until: number;
}

const about = "enrolment of an authenticator app";

/** Begins to enrol an authenticator app. Nothing is stored until a code of the app has proved that it knows the secret. */
export async function beginApp({
  ctx,
  tools: { sealing },
  input: { session },
}: {
  ctx: Context;
  tools: { sealing: Sealing };
  input: { session: Session };
}): Promise<{ secret: string; uri: string; sealed: string }> {
  requireMember(ctx);
  const row = await ctx.store.one<{ email: string | null; organisation: string | null }>(
    "select email, (select name from organisation limit 1) as organisation from member where id = $1",
    [session.member.id],
  );
  const secret = newSharedSecret();
  const begun: Begun = { secret, session: session.id, until: ctx.now() + limits.secondStepMinutes * 60_000 };
  const issuer = `Intake ${row?.organisation ?? ""}`.trim();
  const uri = keyUri(secret, { issuer, account: row?.email ?? session.member.name });
  return { secret, uri, sealed: sealState(sealing, about, begun) };
}

/** Ends the enrolment with a code of the app. Recovery codes come with the first factor of a member, this once. */
export async function enrolApp({
  ctx,
  tools: { sealing },
  input: { session, sealed, code },
}: {
  ctx: Context;
  tools: { sealing: Sealing };
  input: { session: Session; sealed: string; code: string };
}): Promise<{ recoveryCodes: string[] | null }> {
  requireMember(ctx);
  const [auditId, now] = [ctx.newId(), ctx.now()];
  const { id } = session.member;
  const begun = openState<Begun>(sealing, about, [sealed], now);
  if (begun?.session !== session.id) throw new Refusal("conflict", "This took too long. Begin again.");
  const step = stepOf(begun.secret, code.replaceAll(/\s/g, ""), { now, used: 0 });
  if (step === undefined)
    throw new Refusal("wrong_factor", "This code is wrong. Wait for the next one, and look at the clock.");
  const secret = sealing.seal(begun.secret, sharedSecretAbout(id));
  const codes = newRecoveryCodes();
  const mail = await factorMail(ctx, sealing, id, "An authenticator app was added to your account.");
  const isFirst = await ctx.store.write(function* (tx) {
    const { app, recoveryCodes } = yield* ownFactorsStep(tx, id);
    if (app === "yes") throw new Refusal("conflict", "You have an authenticator app already. Remove it first.");
    yield* tx.run("delete from totp where member_id = $1", [id]);
    yield* tx.run("insert into totp (member_id, secret, used_step, created_at) values ($1, $2, $3, $4)", [
      id,
      secret,
      step,
      now,
    ]);
    if (recoveryCodes === 0) yield* storeRecoveryCodesStep(tx, id, codes);
    yield* audit(tx, ctx, auditId, "member.add_factor", `member ${id}`, { to: { factor: "authenticator app" } });
    if (mail) yield* queueMail(tx, mail);
    return recoveryCodes === 0;
  });
  ctx.changed?.({ kind: "member", id });
  return { recoveryCodes: isFirst ? codes : null };
}
