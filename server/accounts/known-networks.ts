import type { Cutoff } from "../core/cutoff.ts";
import type { Step, Tx } from "../core/store.ts";

const perMember = 20;
const lastsMilliseconds = 90 * 86_400_000;

/** Networks that were last seen at or before this moment are forgotten. */
export function knownSince(now: number): number {
  return now - lastsMilliseconds;
}

/**
 * Remembers a network that a member signed in from or used a session from. Ending the session does not forget the
 * network: a member who signs out is no stranger at the same desk.
 */
export function* knowNetworkStep(
  tx: Tx,
  { memberId, network, now }: { memberId: string; network: string | null | undefined; now: number },
): Step<void> {
  if (network === null || network === undefined) return;
  const added = yield* tx.one(
    "insert into known_network (member_id, network, seen_at) values ($1, $2, $3) on conflict do nothing returning network",
    [memberId, network, now],
  );
  if (!added) {
    yield* tx.run("update known_network set seen_at = $3 where member_id = $1 and network = $2", [
      memberId,
      network,
      now,
    ]);
    return;
  }
  yield* tx.run(
    `delete from known_network where member_id = $1 and network not in
       (select network from known_network where member_id = $1 order by seen_at desc, network limit ${perMember})`,
    [memberId],
  );
}

/** Deletes the forgotten networks of all members. */
export function* forgetNetworksStep(tx: Tx, cutoff: Cutoff): Step<void> {
  yield* tx.run("delete from known_network where seen_at <= $1", [cutoff(lastsMilliseconds)]);
}
