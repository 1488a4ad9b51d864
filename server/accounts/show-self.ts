import { limits } from "../../openapi/schema/limits.ts";
import { type Context, requireMember } from "../core/context.ts";
import type { Session } from "../core/session.ts";
import type { Row } from "../core/store.ts";
import { canSignIn } from "../factors/own-factors.ts";

interface SelfView {
  id: string;
  name: string;
  email: string | null;
  role: "admin" | "member";
  hasPassword: boolean;
  /** Until this time, sensitive calls do not ask again who the member is. */
  passwordUntil: string;
  /** Whether the word of the access proxy confirms who is there, because the person has nothing else to confirm it. */
  confirmsByProxy: boolean;
  createdAt: string;
}

interface SelfRow extends Row {
  email: string | null;
  password_hash: string | null;
  created_at: number;
  proves: number;
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
  const row = await ctx.store.one<SelfRow>(
    `select email, password_hash, created_at, case when ${canSignIn} then 1 else 0 end as proves
     from member m where id = $1`,
    [id],
  );
  return {
    id,
    name,
    email: row?.email ?? null,
    role,
    hasPassword: typeof row?.password_hash === "string",
    passwordUntil: new Date(session.passwordAt + limits.passwordMinutes * 60_000).toISOString(),
    confirmsByProxy: session.method === "proxy" && row?.proves === 0,
    createdAt: new Date(row?.created_at ?? 0).toISOString(),
  };
}
