import { limits } from "../../openapi/schema/limits.ts";
import { type Context, Refusal, requireMember } from "../core/context.ts";
import { hashOf } from "../core/credential.ts";
import type { Session } from "../core/session.ts";
import { verifyPassword } from "./passwords.ts";
import type { SignInTools } from "./sign-in.ts";

/** A signed-in member gives the password again; for an hour, sensitive calls then do not ask for it. */
export async function confirmPassword({
  ctx,
  tools,
  input,
}: {
  ctx: Context;
  tools: SignInTools;
  input: { session: Session; password: string };
}): Promise<{ until: string }> {
  requireMember(ctx);
  const { session, password } = input;
  await requireOwnPassword(ctx, tools, session, password);
  const now = ctx.now();
  await ctx.store.write(function* (tx) {
    yield* tx.run("update session set password_at = $2 where id = $1", [session.id, now]);
  });
  return { until: new Date(now + limits.passwordMinutes * 60_000).toISOString() };
}

/**
 * Checks the password of a session and returns the hash that it was compared with. Guessing from an open page is slowed
 * down like a sign-in, but for each session apart, so that nobody outside can hold up the owner of the session.
 */
export async function requireOwnPassword(
  ctx: Context,
  { throttle, failed }: SignInTools,
  { id: sessionId, member: { id: memberId } }: Pick<Session, "id" | "member">,
  password: string,
): Promise<string> {
  const row = await ctx.store.one<{ email: string; password_hash: string | null }>(
    "select email, password_hash from member where id = $1",
    [memberId],
  );
  const tried = { account: hashOf(row?.email ?? ""), from: `session ${sessionId}`, group: undefined };
  await throttle.begin(tried);
  const right = await verifyPassword(password, row?.password_hash, { known: true }).catch(async (error) => {
    await throttle.undo(tried);
    throw error;
  });
  if (!right || !row?.password_hash) {
    await throttle.failed(tried);
    failed.add(memberId, ctx);
    throw new Refusal("wrong_password", "The password is wrong.");
  }
  await throttle.succeeded(tried);
  return row.password_hash;
}
