import { limits } from "../../openapi/schema/limits.ts";
import { audit } from "../core/audit.ts";
import { type Context, Refusal } from "../core/context.ts";
import { hashOf } from "../core/credential.ts";
import { useOnceStep } from "../core/once.ts";
import { openState, sealState } from "../core/sealed-state.ts";
import type { Sealing } from "../core/sealing.ts";
import type { Row, Step, Tx } from "../core/store.ts";
import type { OwnFactors } from "../factors/own-factors.ts";
import { type NewSession, startSessionStep, type Visit } from "./session.ts";

/**
 * A sign-in whose password was right and whose second factor is awaited, in a cookie of the browser. It is no session:
 * with it nothing can be called but what finishes the sign-in.
 */
export interface SecondStep {
  id: string;
  member: string;
  /** Changes with the password: a sign-in that began with a former one is over. */
  password: string;
  until: number;
}

/** With what a person can finish the sign-in. */
export interface SecondWays {
  code: "app" | "recovery" | "none";
  passkey: boolean;
}

export const secondStepCookie = "intake-second";
export const secondStepSeconds = limits.secondStepMinutes * 60;

const about = "second step of a sign-in";

export function newSecondStep(
  ctx: Pick<Context, "newId" | "now">,
  sealing: Sealing,
  { member, passwordHash }: { member: string; passwordHash: string },
): string {
  const until = ctx.now() + secondStepSeconds * 1_000;
  const step: SecondStep = { id: ctx.newId(), member, password: hashOf(passwordHash), until };
  return sealState(sealing, about, step);
}

export function requireSecondStep(sealing: Sealing, cookies: readonly string[], now: number): SecondStep {
  const step = openState<SecondStep>(sealing, about, cookies, now);
  if (!step) throw overdue();
  return step;
}

export function secondWays({ app, passkeys, recoveryCodes }: OwnFactors): SecondWays {
  return { code: app === "yes" ? "app" : recoveryCodes > 0 ? "recovery" : "none", passkey: passkeys > 0 };
}

interface MemberRow extends Row {
  name: string;
  role: "admin" | "member";
  password_hash: string | null;
}

/** Starts the session of a sign-in whose second factor was right. The sign-in counts once. */
export function* finishSecondStep(
  tx: Tx,
  ctx: Omit<Context, "actor">,
  step: SecondStep,
  {
    session,
    visit,
    former,
    auditId,
    now,
    second,
  }: {
    session: NewSession;
    visit: Visit;
    former: readonly string[];
    auditId: string;
    now: number;
    second: "app" | "recovery code" | "passkey";
  },
): Step<void> {
  const { member: id } = step;
  const member = yield* tx.one<MemberRow>(
    "select name, role, password_hash from member where id = $1 and removed_at is null and role <> 'agent'",
    [id],
  );
  const fresh = yield* useOnceStep(tx, `second step ${step.id}`, { until: step.until, now, cutoff: ctx.cutoff });
  if (!member || !fresh || hashOf(member.password_hash ?? "") !== step.password) throw overdue();
  for (const secret of former) yield* tx.run("delete from session where hash = $1", [hashOf(secret)]);
  yield* startSessionStep(tx, session, { memberId: id, visit, now, cutoff: ctx.cutoff, method: "password" });
  const actor = { kind: "member", id, name: member.name, role: member.role } as const;
  yield* audit(tx, { ...ctx, actor }, auditId, "session.create", `member ${id}`, { to: { second } });
}

function overdue(): Refusal {
  return new Refusal("not_signed_in", "This took too long. Sign in with your password again.");
}
