import { limits } from "../../openapi/schema/limits.ts";
import { type Context, Refusal, requireMember } from "./context.ts";
import { hashOf } from "./credential.ts";
import { verifyPassword } from "./passwords.ts";
import type { Session } from "./session.ts";
import type { SignInTools } from "./sign-in.ts";

/** Whoever is signed in gives the password again: for an hour, what is sensitive goes without asking. */
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
  await requireOwnPassword(ctx, tools, session.member.id, password);
  const now = ctx.now();
  await ctx.store.write(function* (tx) {
    yield* tx.run("update session set password_at = $2 where id = $1", [session.id, now]);
  });
  return { until: new Date(now + limits.passwordMinutes * 60_000).toISOString() };
}

/** Guessing it from an open page is slowed down like a sign-in. Returns the hash that it was compared with. */
export async function requireOwnPassword(
  ctx: Context,
  { throttle, failed }: SignInTools,
  memberId: string,
  password: string,
): Promise<string> {
  const row = await ctx.store.one<{ email: string; password_hash: string | null }>(
    "select email, password_hash from member where id = $1",
    [memberId],
  );
  const account = hashOf(row?.email ?? "");
  throttle.begin(account);
  const right = await verifyPassword(password, row?.password_hash).catch((error) => {
    throttle.undo(account);
    throw error;
  });
  if (!right || !row?.password_hash) {
    throttle.failed(account);
    failed.add(memberId, ctx);
    throw new Refusal("wrong_password", "The password is wrong.");
  }
  throttle.succeeded(account);
  return row.password_hash;
}
