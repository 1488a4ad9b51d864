import { type Context, Refusal } from "../core/context.ts";
import { hashOf } from "../core/credential.ts";
import { useCodeStep } from "../factors/use-code.ts";
import { knownSince } from "./known-networks.ts";
import { requirePasswordsCount } from "./password-sign-in.ts";
import { finishSecondStep, type SecondStep } from "./second-step.ts";
import { newSession, type Visit } from "./session.ts";
import type { SignInTools } from "./sign-in.ts";
import type { PasswordTry } from "./sign-in-throttle.ts";

/**
 * Finishes a sign-in with a code of the app or a recovery code. Guessing is slowed down like that of passwords, but over
 * all networks from which the account is not known: whoever guesses has the password already.
 */
export async function finishWithCode({
  ctx,
  tools: { sealing, throttle, failed },
  input: { step, code, visit, former },
}: {
  ctx: Omit<Context, "actor">;
  tools: Pick<SignInTools, "sealing" | "throttle" | "failed">;
  input: { step: SecondStep; code: string; visit: Visit; former: readonly string[] };
}): Promise<{ id: string; secret: string }> {
  await requirePasswordsCount(ctx.store);
  const { member } = step;
  const known = await ctx.store.one(
    "select network from known_network where member_id = $1 and network = $2 and seen_at > $3",
    [member, visit.network ?? "", knownSince(ctx.now())],
  );
  const from = known ? `network ${visit.network}` : "strangers";
  const tried: PasswordTry = { account: hashOf(`second factor of ${member}`), from, group: undefined };
  await throttle.begin(tried);
  const session = newSession(ctx);
  const [auditId, now] = [ctx.newId(), ctx.now()];
  try {
    await ctx.store.write(function* (tx) {
      const second = yield* useCodeStep(tx, sealing, { memberId: member, code, now });
      if (second === undefined) throw new Refusal("wrong_factor", "The code is wrong, or was used before.");
      yield* finishSecondStep(tx, ctx, step, { session, visit, former, auditId, now, second });
    });
  } catch (error) {
    if (error instanceof Refusal && error.code === "wrong_factor") {
      await throttle.failed(tried);
      failed.add(member, ctx);
    } else await throttle.undo(tried);
    throw error;
  }
  await throttle.succeeded(tried);
  ctx.changed?.({ kind: "member", id: member });
  return session;
}
