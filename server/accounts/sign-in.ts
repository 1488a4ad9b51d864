import { audit } from "../core/audit.ts";
import { type Context, Refusal } from "../core/context.ts";
import { hashOf } from "../core/credential.ts";
import type { Sealing } from "../core/sealing.ts";
import type { Row } from "../core/store.ts";
import { hasSecondFactor, ownFactorsStep } from "../factors/own-factors.ts";
import type { FailedSignIns } from "./failed-sign-ins.ts";
import type { ForgottenPasswords } from "./forgotten-passwords.ts";
import { knownSince } from "./known-networks.ts";
import { requirePasswordsCount } from "./password-sign-in.ts";
import { verifyPassword } from "./passwords.ts";
import { newSecondStep, type SecondWays, secondWays } from "./second-step.ts";
import { newSession, startSessionStep, type Visit } from "./session.ts";
import type { PasswordThrottle, PasswordTry } from "./sign-in-throttle.ts";

interface AccountRow extends Row {
  id: string;
  name: string;
  role: "admin" | "member";
  password_hash: string | null;
  /** 1 when the member has signed in from this network before. */
  known: number | null;
}

/** What all sign-ins share while the server runs. */
export interface SignInTools {
  sealing: Sealing;
  throttle: PasswordThrottle;
  failed: FailedSignIns;
  forgotten: ForgottenPasswords;
}

/** A session has started, or the second factor is awaited: then `second` is the value of the cookie for it. */
type SignedIn = { id: string; secret: string } | { second: string; ways: SecondWays };

/**
 * Starts a session; only this answer contains its secret. Whoever has a second factor has to give it first. An unknown
 * address, a wrong password and a removed member get the same answer after the same time.
 */
export async function signIn({
  ctx,
  tools,
  input,
}: {
  ctx: Omit<Context, "actor">;
  tools: Pick<SignInTools, "sealing" | "throttle" | "failed">;
  input: {
    email: string;
    password: string;
    visit: Visit;
    /** The source address, in the form in which rate limits count it. */
    address: string;
    former: readonly string[];
  };
}): Promise<SignedIn> {
  await requirePasswordsCount(ctx.store);
  const email = input.email.trim().toLowerCase();
  const member = await ctx.store.one<AccountRow>(
    `select id, name, role, password_hash,
       (select 1 from known_network where member_id = member.id and network = $2 and seen_at > $3) as known
     from member where email = $1 and removed_at is null and role <> 'agent'`,
    [email, input.visit.network ?? "", knownSince(ctx.now())],
  );
  const known = member?.known === 1;
  const tried: PasswordTry = {
    account: hashOf(email),
    from: input.address,
    group: known ? `from ${input.visit.network}` : "strangers",
  };
  await tools.throttle.begin(tried);
  const right = await verifyPassword(input.password, member?.password_hash, { known }).catch(async (error) => {
    await tools.throttle.undo(tried);
    throw error;
  });
  if (!member || !right) {
    await tools.throttle.failed(tried);
    tools.failed.add(member?.id, ctx);
    throw new Refusal("wrong_password");
  }

  const session = newSession(ctx);
  const [auditId, now] = [ctx.newId(), ctx.now()];
  const actor = { kind: "member", id: member.id, name: member.name, role: member.role } as const;
  const factors = await ctx.store.write(function* (tx) {
    // The password may have been reset, or the member removed, while the password was checked.
    const still = yield* tx.one<{ password_hash: string | null }>(
      "select password_hash from member where id = $1 and removed_at is null",
      [member.id],
    );
    if (still?.password_hash !== member.password_hash) throw new Refusal("wrong_password");
    const factors = yield* ownFactorsStep(tx, member.id);
    if (hasSecondFactor(factors)) return factors;
    for (const secret of input.former) yield* tx.run("delete from session where hash = $1", [hashOf(secret)]);
    yield* startSessionStep(tx, session, {
      ...{ memberId: member.id, visit: input.visit, now, cutoff: ctx.cutoff },
      method: "password",
    });
    yield* audit(tx, { ...ctx, actor }, auditId, "session.create", `member ${member.id}`);
    return undefined;
  });
  await tools.throttle.succeeded(tried);
  if (factors) {
    const passwordHash = member.password_hash ?? "";
    const second = newSecondStep(ctx, tools.sealing, { member: member.id, passwordHash });
    return { second, ways: secondWays(factors) };
  }
  ctx.changed?.({ kind: "member", id: member.id });
  return session;
}
