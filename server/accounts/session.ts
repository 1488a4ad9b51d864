import { limits } from "../../openapi/schema/limits.ts";
import { type Context, Refusal } from "../core/context.ts";
import { hashOf, newSecret } from "../core/credential.ts";
import { type Cutoff, cutoffBy } from "../core/cutoff.ts";
import type { Session } from "../core/session.ts";
import type { Row, Step, Tx } from "../core/store.ts";
import { forgetNetworksStep, knowNetworkStep } from "./known-networks.ts";
import { cookieSecretsOf } from "./session-cookie.ts";

interface SessionRow extends Row {
  id: string;
  hash: string;
  seen_at: number;
  password_at: number;
  member_id: string;
  name: string;
  role: "admin" | "member";
}

const dayMilliseconds = 86_400_000;
const seenMilliseconds = 60_000;

/** The session of a request, by its cookie. Session, membership and role are read each time: a change holds at once. */
export async function sessionOf(ctx: Omit<Context, "actor">, request: Request): Promise<Session> {
  const now = ctx.now();
  for (const secret of cookieSecretsOf(request)) {
    const row = await ctx.store.one<SessionRow>(
      `select s.id, s.hash, s.seen_at, s.password_at, m.id as member_id, m.name, m.role
       from session s join member m on m.id = s.member_id
       where s.hash = $1 and s.expires_at > $2 and s.seen_at > $3 and m.removed_at is null`,
      [hashOf(secret), now, idleSince(now)],
    );
    if (!row) continue;
    if (row.seen_at < now - seenMilliseconds) noteSeen(ctx, row, now);
    const member = { kind: "member", id: row.member_id, name: row.name, role: row.role } as const;
    return { id: row.id, hash: row.hash, member, passwordAt: row.password_at };
  }
  throw new Refusal("not_signed_in");
}

/** Where a session comes from, as the page shows it to its owner. */
export interface Visit {
  userAgent: string | null;
  network: string | undefined;
}

export interface NewSession {
  id: string;
  secret: string;
}

export function newSession(ctx: Pick<Context, "newId">): NewSession {
  return { id: ctx.newId(), secret: newSecret() };
}

/** Starts a session with an id of its own. The ended sessions of all members are deleted in the same transaction. */
export function* startSessionStep(
  tx: Tx,
  { id, secret }: NewSession,
  {
    memberId,
    visit,
    now,
    cutoff = cutoffBy(() => now),
  }: { memberId: string; visit: Visit; now: number; cutoff?: Cutoff | undefined },
): Step<void> {
  yield* tx.run("delete from session where expires_at <= $1 or seen_at <= $2", [
    cutoff(0),
    cutoff(limits.sessionIdleDays * dayMilliseconds),
  ]);
  yield* tx.run(
    `delete from session where member_id = $1 and id not in
       (select id from session where member_id = $1 order by id desc limit $2)`,
    [memberId, limits.sessionsMax - 1],
  );
  yield* tx.run(
    `insert into session (id, hash, member_id, created_at, seen_at, expires_at, password_at, user_agent, network)
     values ($1, $2, $3, $4, $4, $5, $4, $6, $7)`,
    [
      id,
      hashOf(secret),
      memberId,
      now,
      now + limits.sessionDays * dayMilliseconds,
      visit.userAgent?.slice(0, userAgentMax) ?? null,
      visit.network ?? null,
    ],
  );
  yield* tx.run("update member set seen_at = $2 where id = $1", [memberId, now]);
  yield* forgetNetworksStep(tx, cutoff);
  yield* knowNetworkStep(tx, { memberId, network: visit.network, now });
}

const userAgentMax = 400;

export function idleSince(now: number): number {
  return now - limits.sessionIdleDays * dayMilliseconds;
}

const noting = new Set<string>();

/** Notes when the session was last seen. The call does not wait for the write; when it fails, the next call tries again. */
function noteSeen({ store, network }: Omit<Context, "actor">, row: SessionRow, now: number) {
  if (noting.has(row.id)) return;
  noting.add(row.id);
  void store
    .write(function* (tx) {
      yield* tx.run("update session set seen_at = $2, network = coalesce($3, network) where id = $1", [
        row.id,
        now,
        network ?? null,
      ]);
      yield* tx.run("update member set seen_at = $2 where id = $1", [row.member_id, now]);
      yield* knowNetworkStep(tx, { memberId: row.member_id, network, now });
    })
    .catch(() => {})
    .finally(() => noting.delete(row.id));
}
