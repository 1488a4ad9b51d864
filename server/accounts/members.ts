import { Refusal } from "../core/context.ts";
import type { Row, Step, Tx } from "../core/store.ts";
import { canSignIn } from "../factors/own-factors.ts";

interface MemberRow extends Row {
  id: string;
  email: string | null;
  name: string;
  role: "admin" | "member" | "agent";
  password_hash: string | null;
  joined_at: number | null;
  removed_at: number | null;
}

/** A member of the organisation who is a person; the AI agent is not. */
export function* personStep(tx: Tx, id: string): Step<MemberRow> {
  const member = yield* anyPersonStep(tx, id);
  if (member.removed_at !== null) throw noMember(id);
  return member;
}

/** A person of the organisation, or one who was removed from it. */
export function* anyPersonStep(tx: Tx, id: string): Step<MemberRow> {
  const member = yield* tx.one<MemberRow>(
    "select id, email, name, role, password_hash, joined_at, removed_at from member where id = $1",
    [id],
  );
  if (!member) throw noMember(id);
  if (member.role === "agent") throw new Refusal("conflict", "this is the AI agent: it has no role, link or password");
  return member;
}

function noMember(id: string): Refusal {
  return new Refusal("not_found", `there is no member ${id}`);
}

/**
 * Refuses a change after which no admin could sign in: such an organisation could never be managed again from its
 * pages.
 */
export function* anotherAdminStep(tx: Tx, member: MemberRow): Step<void> {
  if (member.role !== "admin") return;
  const other = yield* tx.one(
    `select id from member m
     where role = 'admin' and removed_at is null and id <> $1 and ($2 = 0 or ${canSignIn}) limit 1`,
    [member.id, (yield* canSignInStep(tx, member)) ? 1 : 0],
  );
  if (!other) throw new Refusal("conflict", "This is the only admin. Make someone else admin first.");
}

function* canSignInStep(tx: Tx, { id }: MemberRow): Step<boolean> {
  return (yield* tx.one(`select id from member m where id = $1 and ${canSignIn}`, [id])) !== undefined;
}
