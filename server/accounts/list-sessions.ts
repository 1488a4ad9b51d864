import { limits } from "../../openapi/schema/limits.ts";
import { type Context, Refusal, requireAdmin, requireMember } from "../core/context.ts";
import type { Session, SignInMethod } from "../core/session.ts";
import { readSettings } from "../core/settings.ts";
import type { Row } from "../core/store.ts";
import { type NewDevice, newDevicesOf } from "./new-device.ts";
import { sessionCounts, sessionCountsAt } from "./session-limits.ts";
import { readUserAgent } from "./user-agent.ts";

export interface SessionView {
  id: string;
  /** Undefined when the browser does not say. */
  browser?: string;
  system?: string;
  /** The network of the source address. */
  network: string | null;
  /** How the person signed in; null where that was not kept yet. */
  method: SignInMethod | null;
  /** The name of the identity provider that the session began at. */
  provider: string | null;
  createdAt: string;
  seenAt: string;
  /** Whether this is the session of the request. */
  current: boolean;
}

/** What `intake member sessions` shows of a session. */
export const sessionColumns = ["id", "browser", "system", "network", "method", "createdAt", "seenAt"] as const;

interface SessionRow extends Row {
  id: string;
  user_agent: string | null;
  network: string | null;
  method: SignInMethod | null;
  provider: string | null;
  created_at: number;
  seen_at: number;
}

/** The sessions of the member who asks, the last seen first, and the sign-ins that were new. */
export async function listSessions({
  ctx,
  input: { session },
}: {
  ctx: Context;
  input: { session: Session };
}): Promise<{ items: SessionView[]; newDevices: NewDevice[] }> {
  requireMember(ctx);
  const [items, newDevices] = await Promise.all([
    sessionsOf(ctx, session.member.id, session.id),
    newDevicesOf(ctx, session),
  ]);
  return { items, newDevices };
}

/** The sessions of a member, for admins. */
export async function listMemberSessions({
  ctx,
  input: { id, session },
}: {
  ctx: Context;
  input: { id: string; session?: Session };
}): Promise<{ items: SessionView[] }> {
  requireAdmin(ctx);
  const person = await ctx.store.one("select id from member where id = $1 and role <> 'agent'", [id]);
  if (!person) throw new Refusal("not_found");
  return { items: await sessionsOf(ctx, id, session?.id) };
}

async function sessionsOf(
  ctx: Pick<Context, "store" | "now">,
  memberId: string,
  current: string | undefined,
): Promise<SessionView[]> {
  const settings = await readSettings(ctx.store);
  const rows = await ctx.store.all<SessionRow>(
    `select s.id, s.user_agent, s.network, s.method, s.created_at, s.seen_at, p.name as provider
     from session s left join provider_session ps on ps.session_id = s.id left join provider p on p.id = ps.provider_id
     where s.member_id = $1 and ${sessionCounts(2)} order by s.seen_at desc, s.id limit $6`,
    [memberId, ...sessionCountsAt(settings, ctx.now()), limits.sessionsMax],
  );
  return rows.map(({ id, user_agent, network, method, provider, created_at, seen_at }) => ({
    id,
    ...readUserAgent(user_agent ?? ""),
    network,
    method,
    provider,
    createdAt: new Date(created_at).toISOString(),
    seenAt: new Date(seen_at).toISOString(),
    current: id === current,
  }));
}
