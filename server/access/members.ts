import { decodeCursor, type Page, type PageInput, pageOf } from "../store/page.ts";
import type { Row, Step, Tx } from "../store/store.ts";
import { type Context, Refusal, requireAdmin } from "./context.ts";

export interface MemberRow extends Row {
  id: string;
  email: string | null;
  name: string;
  role: "admin" | "member" | "agent";
  created_at: number;
}

export interface MemberView {
  id: string;
  email: string | null;
  name: string;
  role: MemberRow["role"];
  createdAt: string;
}

/** Who is in the organisation, the AI agent too; removed ones are not. */
export async function listMembers({ ctx, input }: { ctx: Context; input: PageInput }): Promise<Page<MemberView>> {
  requireAdmin(ctx);
  const [after = ""] = decodeCursor(input.cursor, ["string"]);
  const rows = await ctx.store.all<MemberRow>(
    `select id, email, name, role, created_at from member
     where id > $1 and removed_at is null order by id limit $2`,
    [after, input.limit + 1],
  );
  return pageOf(
    rows,
    input.limit,
    (row) => [row.id],
    ({ id, email, name, role, created_at }) => ({
      id,
      email,
      name,
      role,
      createdAt: new Date(created_at).toISOString(),
    }),
  );
}

/** A person of the organisation; the agent is no person. */
export function* personStep(tx: Tx, id: string): Step<MemberRow> {
  const member = yield* tx.one<MemberRow>(
    "select id, email, name, role, created_at from member where id = $1 and removed_at is null",
    [id],
  );
  if (!member) throw new Refusal("not_found", `there is no member ${id}`);
  if (member.role === "agent") throw new Refusal("conflict", "this is the AI agent: it has no role, link or password");
  return member;
}

/** An organisation without an admin could never be managed again from its pages. */
export function* anotherAdminStep(tx: Tx, member: MemberRow): Step<void> {
  if (member.role !== "admin") return;
  const other = yield* tx.one(
    "select id from member where role = 'admin' and removed_at is null and id <> $1 limit 1",
    [member.id],
  );
  if (!other) throw new Refusal("conflict", "this is the only admin; make somebody else admin first");
}
