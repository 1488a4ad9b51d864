import type { Cutoff } from "../core/cutoff.ts";
import type { Step, Tx } from "../core/store.ts";
import { readUserAgent } from "./user-agent.ts";

const perMember = 20;
/** Longer than any gap between two sign-ins of somebody who uses sessions of the usual length to their end. */
const lastsMilliseconds = 400 * 86_400_000;

/** Browser and system in words, such as `Firefox on Linux`; words of our own only, because a browser may send any text. */
export function deviceOf(userAgent: string | null): string {
  const { browser = "An unknown browser", system } = readUserAgent(userAgent ?? "");
  return system === undefined ? browser : `${browser} on ${system}`;
}

/** Remembers with what a member signs in. Returns false when the member has used others, and never this. */
export function* knowDeviceStep(
  tx: Tx,
  { memberId, device, now }: { memberId: string; device: string; now: number },
): Step<boolean> {
  const any = yield* tx.one("select device from known_device where member_id = $1 and seen_at > $2 limit 1", [
    memberId,
    now - lastsMilliseconds,
  ]);
  const added = yield* tx.one(
    "insert into known_device (member_id, device, seen_at) values ($1, $2, $3) on conflict do nothing returning device",
    [memberId, device, now],
  );
  if (!added) {
    const before = yield* tx.one<{ seen_at: number }>(
      "select seen_at from known_device where member_id = $1 and device = $2",
      [memberId, device],
    );
    yield* tx.run("update known_device set seen_at = $3 where member_id = $1 and device = $2", [memberId, device, now]);
    return any === undefined || (before?.seen_at ?? 0) > now - lastsMilliseconds;
  }
  yield* tx.run(
    `delete from known_device where member_id = $1 and device not in
       (select device from known_device where member_id = $1 order by seen_at desc, device limit ${perMember})`,
    [memberId],
  );
  return any === undefined;
}

/** Deletes what members have not signed in with for long. */
export function* forgetDevicesStep(tx: Tx, cutoff: Cutoff): Step<void> {
  yield* tx.run("delete from known_device where seen_at <= $1", [cutoff(lastsMilliseconds)]);
}
