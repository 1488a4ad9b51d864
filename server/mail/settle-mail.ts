import type { Store } from "../core/store.ts";
import type { ClaimedMail } from "./claim-mail.ts";
import { type FailedMail, mailFaults } from "./faults.ts";

const minute = 60_000;
/** The wait after each failure. A mail that fails once more is given up. */
const waits = [1, 5, 15, 30, 60, 120, 240, 480, 480, 480, 480].map((minutes) => minutes * minute);

export interface SettledMail {
  id: string;
  state: "sent" | "waiting" | "failed" | "expired";
  fault: string | null;
}

/** Writes down how an attempt ended. Does nothing when the lease is over and somebody else has the mail. */
export async function settleMail(
  store: Store,
  claimed: ClaimedMail,
  failed: FailedMail | undefined,
  now: number,
): Promise<SettledMail> {
  const { id, lease } = claimed;
  const nextAt = failed === undefined ? undefined : nextTry(claimed, failed, now);
  const ended = failed === undefined ? "sent" : "failed";
  const state = nextAt === undefined ? ended : "waiting";
  await store.write((tx) =>
    tx.run(
      `update mail set state = $3, next_at = $4, ended_at = $5, fault = $6, detail = $7, lease = null,
         body = case when $3 = 'waiting' then body else null end
       where id = $1 and lease = $2`,
      [
        id,
        lease,
        state,
        nextAt ?? null,
        nextAt === undefined ? now : null,
        failed?.fault ?? null,
        failed?.detail ?? null,
      ],
    ),
  );
  return { id, state, fault: failed?.fault ?? null };
}

function nextTry(
  { attempts, expires_at: expiresAt }: ClaimedMail,
  { fault }: FailedMail,
  now: number,
): number | undefined {
  if (!mailFaults[fault].again) return undefined;
  // The process that was stopped did not try to the end.
  if (fault === "abandoned") return now;
  const wait = waits[attempts - 1];
  return wait === undefined ? undefined : Math.min(now + wait, Math.max(now, expiresAt));
}
