import { Refusal } from "../core/context.ts";
import type { Step, Tx } from "../core/store.ts";
import { canSignIn } from "../factors/own-factors.ts";

interface Unlinked {
  /** Who the member was at the provider. */
  from: { issuer: string; subject: string };
  /** How many sessions that began there have ended. */
  ended: number;
}

/**
 * Takes away what links a member to a provider, and ends the sessions that began there: whoever has them proved no more
 * than that. `except` is the id of a session that stays. Throws `not_found` for a member who is not linked.
 */
export function* unlinkStep(
  tx: Tx,
  { memberId, provider, except = "" }: { memberId: string; provider: string; except?: string },
): Step<Unlinked> {
  const [from] = yield* tx.all<{ issuer: string; subject: string }>(
    `delete from identity where member_id = $1 and issuer = (select issuer from provider where id = $2)
     returning issuer, subject`,
    [memberId, provider],
  );
  if (!from) throw new Refusal("not_found", `this member is not linked to a provider ${JSON.stringify(provider)}`);
  const ended = yield* tx.all(
    `delete from session where member_id = $1 and id <> $3 and id in
       (select s.session_id from provider_session s join provider p on p.id = s.provider_id where p.issuer = $2)
     returning id`,
    [memberId, from.issuer, except],
  );
  return { from, ended: ended.length };
}

/** Whether a member can sign in. */
export function* hasWayInStep(tx: Tx, memberId: string): Step<boolean> {
  return (yield* tx.one(`select id from member m where id = $1 and ${canSignIn}`, [memberId])) !== undefined;
}
