import { type Context, requireMember } from "../core/context.ts";
import type { Session } from "../core/session.ts";
import type { Row } from "../core/store.ts";
import { type OwnFactors, readOwnFactors } from "./own-factors.ts";

interface PasskeyView {
  id: string;
  name: string;
  createdAt: string;
  usedAt: string | null;
}

interface FactorsView {
  password: boolean;
  app: OwnFactors["app"];
  passkeys: PasskeyView[];
  recoveryCodes: number;
}

interface PasskeyRow extends Row {
  id: string;
  name: string;
  created_at: number;
  used_at: number | null;
}

/** The factors of the member who asks, without anything that is secret. */
export async function listFactors({
  ctx,
  input: { session },
}: {
  ctx: Context;
  input: { session: Session };
}): Promise<FactorsView> {
  requireMember(ctx);
  const { id } = session.member;
  const [{ app, recoveryCodes }, member, rows] = await Promise.all([
    readOwnFactors(ctx.store, id),
    ctx.store.one<{ password_hash: string | null }>("select password_hash from member where id = $1", [id]),
    ctx.store.all<PasskeyRow>(
      "select id, name, created_at, used_at from passkey where member_id = $1 order by created_at, id",
      [id],
    ),
  ]);
  const passkeys = rows.map(({ id, name, created_at, used_at }) => ({
    id,
    name,
    createdAt: new Date(created_at).toISOString(),
    usedAt: used_at === null ? null : new Date(used_at).toISOString(),
  }));
  return { password: typeof member?.password_hash === "string", app, passkeys, recoveryCodes };
}
