import { limits } from "../../openapi/schema/limits.ts";
import { type Context, requireMember } from "../core/context.ts";
import type { Session } from "../core/session.ts";
import type { Row } from "../core/store.ts";
import { idleSince } from "./session.ts";
import { readUserAgent } from "./user-agent.ts";

interface SessionView {
  id: string;
  /** Undefined when the browser does not say. */
  browser?: string;
  system?: string;
  /** The network of the source address. */
  network: string | null;
  createdAt: string;
  seenAt: string;
  /** Whether this is the session of the request. */
  current: boolean;
}

interface SessionRow extends Row {
  id: string;
  user_agent: string | null;
  network: string | null;
  created_at: number;
  seen_at: number;
}

/** The sessions of the member who asks, the last seen first. */
export async function listSessions({
  ctx,
  input: { session },
}: {
  ctx: Context;
  input: { session: Session };
}): Promise<{ items: SessionView[] }> {
  requireMember(ctx);
  const now = ctx.now();
  const rows = await ctx.store.all<SessionRow>(
    `select id, user_agent, network, created_at, seen_at from session
     where member_id = $1 and expires_at > $2 and seen_at > $3 order by seen_at desc, id limit $4`,
    [session.member.id, now, idleSince(now), limits.sessionsMax],
  );
  const items = rows.map(({ id, user_agent, network, created_at, seen_at }) => ({
    id,
    ...readUserAgent(user_agent ?? ""),
    network,
    createdAt: new Date(created_at).toISOString(),
    seenAt: new Date(seen_at).toISOString(),
    current: id === session.id,
  }));
  return { items };
}
