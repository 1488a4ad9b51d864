import { limits } from "../../openapi/schema/limits.ts";
import { type Context, Refusal, requireMember } from "../core/context.ts";
import { hashOf } from "../core/credential.ts";
import type { Session } from "../core/session.ts";
import { hasSecondFactor, readOwnFactors } from "../factors/own-factors.ts";
import { useCodeStep } from "../factors/use-code.ts";
import { verifyPassword } from "./passwords.ts";
import type { SignInTools } from "./sign-in.ts";

/**
 * A signed-in member gives the password again, with a code where there is a second factor; for an hour, sensitive calls
 * then do not ask. The answer does not tell which of the two was wrong.
 */
export async function confirmPassword({
  ctx,
  tools,
  input,
}: {
  ctx: Context;
  tools: SignInTools;
  input: { session: Session; password: string; code?: string | undefined };
}): Promise<{ until: string }> {
  requireMember(ctx);
  const { session, password, code } = input;
  const memberId = session.member.id;
  const asksForCode = hasSecondFactor(await readOwnFactors(ctx.store, memberId));
  if (asksForCode && code === undefined) {
    throw new Refusal("invalid_input", "Give a code of your authenticator app too, or a recovery code.");
  }
  const now = ctx.now();
  await withOwnPassword(ctx, tools, session, { password, wrong: asksForCode ? wrongOfTwo : wrongPassword }, () =>
    ctx.store.write(function* (tx) {
      if (asksForCode && !(yield* useCodeStep(tx, tools.sealing, { memberId, code: code ?? "", now }))) {
        throw wrongOfTwo();
      }
      yield* tx.run("update session set password_at = $2 where id = $1", [session.id, now]);
    }),
  );
  return { until: new Date(now + limits.passwordMinutes * 60_000).toISOString() };
}

const wrongPassword = () => new Refusal("wrong_password", "The password is wrong.");
const wrongOfTwo = () => new Refusal("wrong_password", "The password or the code is wrong.");

/** Checks the password of a session and returns the hash that it was compared with. */
export async function requireOwnPassword(
  ctx: Context,
  tools: SignInTools,
  session: Pick<Session, "id" | "member">,
  password: string,
): Promise<string> {
  return withOwnPassword(ctx, tools, session, { password, wrong: wrongPassword }, (hash) => Promise.resolve(hash));
}

/**
 * Does what needs the password of a session, and counts a try that `work` refuses as a wrong one too. Guessing from an
 * open page is slowed down like a sign-in, but for each session apart, so that nobody outside can hold up the owner of
 * the session.
 */
async function withOwnPassword<T>(
  ctx: Context,
  { throttle, failed }: SignInTools,
  { id: sessionId, member: { id: memberId } }: Pick<Session, "id" | "member">,
  { password, wrong }: { password: string; wrong: () => Refusal },
  work: (hash: string) => Promise<T>,
): Promise<T> {
  const row = await ctx.store.one<{ email: string; password_hash: string | null }>(
    "select email, password_hash from member where id = $1",
    [memberId],
  );
  const tried = { account: hashOf(row?.email ?? ""), from: `session ${sessionId}`, group: undefined };
  await throttle.begin(tried);
  try {
    const right = await verifyPassword(password, row?.password_hash, { known: true });
    if (!right || !row?.password_hash) throw wrong();
    const done = await work(row.password_hash);
    await throttle.succeeded(tried);
    return done;
  } catch (error) {
    if (error instanceof Refusal && error.code === "wrong_password") {
      await throttle.failed(tried);
      failed.add(memberId, ctx);
    } else await throttle.undo(tried);
    throw error;
  }
}
