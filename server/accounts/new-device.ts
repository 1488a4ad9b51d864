import { type Context, Refusal, requireMember } from "../core/context.ts";
import type { Cutoff } from "../core/cutoff.ts";
import type { Session } from "../core/session.ts";
import type { Reader, Row, Step, Tx } from "../core/store.ts";
import { deviceOf, forgetDevicesStep, knowDeviceStep } from "./known-devices.ts";
import { forgetNetworksStep, knowNetworkStep, knownSince } from "./known-networks.ts";
import type { Visit } from "./session.ts";

const perMember = 50;
const lastsMilliseconds = 30 * 86_400_000;

/**
 * Notes a sign-in with a browser or system, or from a network, that the member has not used before, so that the person
 * is told. The first sign-in of a member is nothing new. All of it is known afterwards.
 */
export function* noteNewDeviceStep(
  tx: Tx,
  {
    sessionId,
    memberId,
    visit: { userAgent, network },
    now,
    cutoff,
  }: { sessionId: string; memberId: string; visit: Visit; now: number; cutoff: Cutoff },
): Step<void> {
  yield* forgetNetworksStep(tx, cutoff);
  yield* forgetDevicesStep(tx, cutoff);
  yield* tx.run("delete from new_device where at <= $1", [cutoff(lastsMilliseconds)]);
  const member = yield* tx.one<{ seen_at: number | null }>("select seen_at from member where id = $1", [memberId]);
  const strange = network !== undefined && !(yield* isKnownStep(tx, memberId, network, now));
  yield* knowNetworkStep(tx, { memberId, network, now });
  const device = deviceOf(userAgent);
  const known = yield* knowDeviceStep(tx, { memberId, device, now });
  if (typeof member?.seen_at !== "number" || (known && !strange)) return;
  yield* tx.run(
    `insert into new_device (session_id, member_id, device, network, at, mail) values ($1, $2, $3, $4, $5, 'waiting')`,
    [sessionId, memberId, device, network ?? null, now],
  );
  // Of `waiting`, `told` and `quiet`, what was mailed or may be outlasts the rest: by it the mails of a day are counted.
  yield* tx.run(
    `delete from new_device where member_id = $1 and session_id not in
       (select session_id from new_device where member_id = $1
        order by mail desc, at desc, session_id desc limit ${perMember})`,
    [memberId],
  );
}

function* isKnownStep(tx: Tx, memberId: string, network: string, now: number): Step<boolean> {
  const known = yield* tx.one(
    "select network from known_network where member_id = $1 and network = $2 and seen_at > $3",
    [memberId, network, knownSince(now)],
  );
  return known !== undefined;
}

/** A sign-in of which its person is told on the page. */
export interface NewDevice {
  /** Of the session that began. */
  id: string;
  /** Browser and system. */
  device: string;
  network: string | null;
  at: string;
}

interface NewDeviceRow extends Row {
  session_id: string;
  device: string;
  network: string | null;
  at: number;
}

/**
 * Sign-ins that were new and that the person has not called known, the newest first. A session is not told of itself:
 * it must not be able to hide that it has begun.
 */
export async function newDevicesOf(
  { store, now }: { store: Reader; now: () => number },
  { id, member }: Pick<Session, "id" | "member">,
): Promise<NewDevice[]> {
  const rows = await store.all<NewDeviceRow>(
    `select session_id, device, network, at from new_device
     where member_id = $1 and session_id <> $2 and dismissed_at is null and at > $3
     order by at desc, session_id desc limit ${perMember}`,
    [member.id, id, now() - lastsMilliseconds],
  );
  return rows.map(({ session_id, device, network, at }) => ({
    ...{ id: session_id, device, network },
    at: new Date(at).toISOString(),
  }));
}

/** The person says of a new sign-in that it is known. Another session has to say so. */
export async function acceptNewDevice({
  ctx,
  input: { session, id },
}: {
  ctx: Context;
  input: { session: Session; id: string };
}): Promise<{ id: string }> {
  requireMember(ctx);
  if (id === session.id) throw new Refusal("conflict", "Another session of yours has to say that it knows this one.");
  const now = ctx.now();
  await ctx.store.write(function* (tx) {
    const found = yield* tx.one(
      `update new_device set dismissed_at = coalesce(dismissed_at, $3) where session_id = $1 and member_id = $2
       returning session_id`,
      [id, session.member.id, now],
    );
    if (!found) throw new Refusal("not_found");
  });
  ctx.changed?.({ kind: "member", id: session.member.id });
  return { id };
}
