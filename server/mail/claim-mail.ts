import type { Step, Store, Tx } from "../core/store.ts";

/** Longer than {@link usualTiming}.total: a mail that is not settled by then was left by a process that ended. */
export const leaseMilliseconds = 120_000;

/** A mail that this process is to send before its lease is over. */
export interface ClaimedMail {
  id: string;
  kind: string;
  recipient: string;
  subject: string;
  body: Uint8Array;
  created_at: number;
  expires_at: number;
  /** This attempt's number, from 1. */
  attempts: number;
  /** What an earlier attempt ended with. */
  fault: string | null;
  lease: string;
}

/**
 * Takes the mail that has been due for the longest, so that nobody else sends it. The attempt counts from now on: a mail
 * with which the process dies again and again is given up too. Mails of no more use are ended first.
 */
export async function claimMail(
  store: Store,
  { now, lease }: { now: number; lease: string },
): Promise<{ claimed: ClaimedMail | undefined; expired: string[] }> {
  return store.write(function* (tx) {
    const expired = yield* expireStep(tx, now);
    const due = yield* tx.one<{ id: string }>(
      "select id from mail where state = 'waiting' and next_at <= $1 order by next_at, id limit 1",
      [now],
      "skip",
    );
    const claimed =
      due &&
      (yield* tx.one<Omit<ClaimedMail, "lease">>(
        `update mail set lease = $2, next_at = $3, attempts = attempts + 1 where id = $1
         returning id, kind, recipient, subject, body, created_at, expires_at, attempts, fault`,
        [due.id, lease, now + leaseMilliseconds],
      ));
    return { claimed: claimed && ({ ...claimed, lease } as ClaimedMail), expired };
  });
}

/** Ends mails of no more use, also while none can be sent. Returns their ids. */
export async function expireMails(store: Store, now: number): Promise<string[]> {
  const some = await store.one(
    "select 1 as expired from mail where state = 'waiting' and next_at <= $1 and expires_at <= $1 limit 1",
    [now],
  );
  return some ? store.write((tx) => expireStep(tx, now)) : [];
}

function* expireStep(tx: Tx, now: number): Step<string[]> {
  const rows = yield* tx.all<{ id: string }>(
    `update mail set state = 'expired', body = null, lease = null, next_at = null, ended_at = $1
     where state = 'waiting' and next_at <= $1 and expires_at <= $1 returning id`,
    [now],
  );
  return rows.map(({ id }) => id);
}

/** For a process that is alone: what an earlier one was sending is nobody's. */
export async function releaseMails(store: Store, now: number): Promise<void> {
  await store.write((tx) =>
    tx.run("update mail set lease = null, next_at = $1 where state = 'waiting' and lease is not null", [now]),
  );
}

/** Makes every mail that waits for a later try due. */
export async function retryMails(store: Store, now: number): Promise<void> {
  await store.write((tx) =>
    tx.run("update mail set next_at = $1 where state = 'waiting' and lease is null and next_at > $1", [now]),
  );
}
