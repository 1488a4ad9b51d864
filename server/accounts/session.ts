import { limits } from "../../openapi/schema/limits.ts";
import { type Context, Refusal } from "../core/context.ts";
import { hashOf, newSecret } from "../core/credential.ts";
import { type Cutoff, cutoffBy } from "../core/cutoff.ts";
import type { ProxyPerson, Session, SignInMethod } from "../core/session.ts";
import { sharedSettings } from "../core/settings.ts";
import type { Row, Step, Tx } from "../core/store.ts";
import { lacksFactor } from "../factors/own-factors.ts";
import { knowNetworkStep } from "./known-networks.ts";
import { noteNewDeviceStep } from "./new-device.ts";
import { cookieSecretsOf } from "./session-cookie.ts";
import { dayMilliseconds, sessionAges, sessionCounts, sessionCountsAt, sessionLimitsStep } from "./session-limits.ts";

interface SessionRow extends Row {
  id: string;
  hash: string;
  seen_at: number;
  password_at: number;
  member_id: string;
  name: string;
  email: string | null;
  method: SignInMethod | null;
  role: "admin" | "member";
  /** 1 for an admin who has to enrol a second factor before anything else. */
  must_enrol: number;
}

const seenMilliseconds = 60_000;

/**
 * A condition in SQL: the person of session `s`, the member `m`, has to enrol a second factor before anything else.
 * Providers and access proxies ask for factors themselves.
 */
export const mustEnrol = `(${lacksFactor} and coalesce(s.method, '') not in ('provider', 'proxy'))`;

/** What a page sends with a request that no person has caused. */
const unattendedHeader = "x-intake-unattended";

/** The session of a request, by its cookie. Session, membership and role are read each time: a change holds at once. */
export async function sessionOf(
  ctx: Omit<Context, "actor">,
  request: Request,
  proxyPersonOf: (request: Request) => ProxyPerson | undefined = () => undefined,
): Promise<Session> {
  const now = ctx.now();
  for (const secret of cookieSecretsOf(request)) {
    const settings = await sharedSettings(ctx.store);
    const row = await ctx.store.one<SessionRow>(
      `select s.id, s.hash, s.seen_at, s.password_at, s.method, m.id as member_id, m.name, m.email, m.role,
         case when ${mustEnrol} then 1 else 0 end as must_enrol
       from session s join member m on m.id = s.member_id
       where s.hash = $1 and ${sessionCounts(2)} and m.removed_at is null`,
      [hashOf(secret), ...sessionCountsAt(settings, now)],
    );
    if (!row) continue;
    // A session that the access proxy began is that of whom it names now, and of nobody without it.
    if (row.method === "proxy" && !isNamed(row, proxyPersonOf(request))) continue;
    // A clock that was set back must not leave a session with a use in the future.
    if (Math.abs(now - row.seen_at) > seenMilliseconds && isUse(request)) noteSeen(ctx, row, now);
    const member = { kind: "member", id: row.member_id, name: row.name, role: row.role } as const;
    const { method, password_at: passwordAt } = row;
    return { id: row.id, hash: row.hash, member, method, passwordAt, mustEnrol: row.must_enrol === 1 };
  }
  throw new Refusal("not_signed_in");
}

function isNamed({ email }: SessionRow, person: ProxyPerson | undefined): boolean {
  return person !== undefined && person !== "unclear" && person.email === email;
}

/**
 * Whether a person has caused the request, so that the session is in use. A page that is only open listens for changes,
 * and says of what it then loads by itself that nobody is there: a session must not last because of a forgotten page.
 */
function isUse({ headers, url }: Request): boolean {
  return !headers.has(unattendedHeader) && !livePath.test(url);
}

const livePath = /^(?:https?:\/\/[^/]*)?\/internal\/live(?:\?|$)/;

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
    days,
    method,
    confirmedAt = now,
  }: {
    memberId: string;
    visit: Visit;
    now: number;
    cutoff?: Cutoff | undefined;
    /** The session ends after so many days, if that is before the setting `session_days` ends it. */
    days?: number;
    method: SignInMethod;
    /** When the person last proved who they are; now by default, because a password was just given. */
    confirmedAt?: number;
  },
): Step<void> {
  const set = yield* sessionLimitsStep(tx);
  const { begun, used } = sessionAges(set);
  yield* tx.run("delete from session where expires_at <= $1 or created_at <= $2 or seen_at <= $3", [
    cutoff(0),
    cutoff(begun),
    cutoff(used),
  ]);
  yield* tx.run(
    `delete from session where member_id = $1 and id not in
       (select id from session where member_id = $1 order by id desc limit $2)`,
    [memberId, limits.sessionsMax - 1],
  );
  yield* tx.run(
    `insert into session (id, hash, member_id, created_at, seen_at, expires_at, password_at, user_agent, network, method)
     values ($1, $2, $3, $4, $4, $5, $8, $6, $7, $9)`,
    [
      id,
      hashOf(secret),
      memberId,
      now,
      now + Math.min(days ?? set.session_days, set.session_days) * dayMilliseconds,
      visit.userAgent?.slice(0, userAgentMax) ?? null,
      visit.network ?? null,
      confirmedAt,
      method,
    ],
  );
  yield* noteNewDeviceStep(tx, { sessionId: id, memberId, visit, now, cutoff });
  yield* tx.run("update member set seen_at = $2 where id = $1", [memberId, now]);
}

const userAgentMax = 400;

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
