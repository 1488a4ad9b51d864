import { type Context, requireAdmin, requireMember } from "../core/context.ts";
import { decodeCursor, type Page, type PageInput, pageOf } from "../core/page.ts";
import type { Row } from "../core/store.ts";
import { canSignIn } from "../factors/own-factors.ts";

type Role = "admin" | "member" | "agent";

export interface MemberView {
  id: string;
  email: string | null;
  name: string;
  role: Role;
  createdAt: string;
  seenAt: string | null;
  /** `waiting`: the member has no password, passkey or provider, or no longer has one, and signs in with a link. */
  state: "active" | "waiting" | "deactivated";
  /** The identity providers that the member is linked to. */
  providers: { id: string; name: string }[];
  /** The second factors. */
  factors: { app: boolean; passkeys: number };
  /** The link with which the member can choose a password. */
  link: { kind: "invite" | "reset"; until: string } | null;
}

interface ListedRow extends Row {
  id: string;
  email: string | null;
  name: string;
  role: Role;
  can_sign_in: number;
  app: number;
  passkeys: number;
  created_at: number;
  seen_at: number | null;
  removed_at: number | null;
  kind: "invite" | "reset" | null;
  expires_at: number | null;
}

/**
 * Lists the people of the organisation and the AI agent. Removed members are listed on request only, and only those who
 * had joined.
 */
export async function listMembers({
  ctx,
  input,
}: {
  ctx: Context;
  input: PageInput & { removed?: boolean };
}): Promise<Page<MemberView>> {
  requireAdmin(ctx);
  const [after = ""] = decodeCursor(input.cursor, ["string"]);
  const rows = await ctx.store.all<ListedRow>(
    `select m.id, m.email, m.name, m.role, m.created_at, m.seen_at, m.removed_at, i.kind, i.expires_at,
       case when ${canSignIn} then 1 else 0 end as can_sign_in,
       case when exists (select 1 from totp where member_id = m.id) then 1 else 0 end as app,
       (select cast(count(*) as integer) from passkey where member_id = m.id) as passkeys
     from member m left join invitation i on i.member_id = m.id and i.expires_at > $3
     where m.id > $1 and (m.removed_at is null${input.removed ? " or m.joined_at is not null" : ""})
     order by m.id limit $2`,
    [after, input.limit + 1, ctx.now()],
  );
  const linked = await linkedProviders(ctx, rows);
  return pageOf(
    rows,
    input.limit,
    (row) => [row.id],
    (row) => ({
      id: row.id,
      email: row.email,
      name: row.name,
      role: row.role,
      createdAt: new Date(row.created_at).toISOString(),
      seenAt: row.seen_at === null ? null : new Date(row.seen_at).toISOString(),
      state: stateOf(row),
      providers: linked.filter(({ member_id }) => member_id === row.id).map(({ id, name }) => ({ id, name })),
      factors: { app: row.app === 1, passkeys: row.passkeys },
      link:
        row.kind === null || row.expires_at === null
          ? null
          : { kind: row.kind, until: new Date(row.expires_at).toISOString() },
    }),
  );
}

/** To which providers the members of a page are linked. The rows are sorted by id. */
function linkedProviders({ store }: Context, rows: readonly ListedRow[]) {
  return store.all<{ member_id: string; id: string; name: string }>(
    `select distinct i.member_id, p.id, p.name from identity i join provider p on p.issuer = i.issuer
     where i.member_id >= $1 and i.member_id <= $2 order by p.name, i.member_id, p.id`,
    [rows.at(0)?.id ?? "", rows.at(-1)?.id ?? ""],
  );
}

function stateOf({ role, can_sign_in, removed_at }: ListedRow): MemberView["state"] {
  if (removed_at !== null) return "deactivated";
  return role === "agent" || can_sign_in === 1 ? "active" : "waiting";
}

const namesMax = 500;

/** The members for menus that pick one: names only, sorted by name, with the AI agent and without removed members. */
export async function listMemberNames({
  ctx,
}: {
  ctx: Context;
}): Promise<{ items: { id: string; name: string; role: Role }[] }> {
  requireMember(ctx);
  const items = await ctx.store.all<{ id: string; name: string; role: Role }>(
    "select id, name, role from member where removed_at is null order by lower(name), id limit $1",
    [namesMax],
  );
  return { items };
}
