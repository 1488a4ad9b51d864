import { limits } from "../../openapi/schema/limits.ts";
import { type Context, requireMember } from "../core/context.ts";
import type { Session } from "../core/session.ts";

interface SelfView {
  id: string;
  name: string;
  email: string | null;
  role: "admin" | "member";
  /** Until this time, sensitive calls do not ask for the password. */
  passwordUntil: string;
  createdAt: string;
}

export async function showSelf({
  ctx,
  input: { session },
}: {
  ctx: Context;
  input: { session: Session };
}): Promise<SelfView> {
  requireMember(ctx);
  const { id, name, role } = session.member;
  const row = await ctx.store.one<{ email: string | null; created_at: number }>(
    "select email, created_at from member where id = $1",
    [id],
  );
  return {
    id,
    name,
    email: row?.email ?? null,
    role,
    passwordUntil: new Date(session.passwordAt + limits.passwordMinutes * 60_000).toISOString(),
    createdAt: new Date(row?.created_at ?? 0).toISOString(),
  };
}
