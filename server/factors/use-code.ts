import type { Sealing } from "../core/sealing.ts";
import type { Step, Tx } from "../core/store.ts";
import { stepOf } from "./one-time-code.ts";
import { useRecoveryCodeStep } from "./recovery-codes.ts";

/** What the secret of an app is sealed for. */
export const sharedSecretAbout = (memberId: string) => `authenticator app of ${memberId}`;

/**
 * Uses a code of the member's app, or a recovery code. Both count once; undefined for a code that does not count, which
 * may be wrong, too old or used.
 */
export function* useCodeStep(
  tx: Tx,
  sealing: Sealing,
  { memberId, code, now }: { memberId: string; code: string; now: number },
): Step<"app" | "recovery code" | undefined> {
  const given = code.replaceAll(/[\s-]/g, "");
  if (!/^\d{6}$/.test(given)) return (yield* useRecoveryCodeStep(tx, memberId, given)) ? "recovery code" : undefined;
  const row = yield* tx.one<{ secret: Uint8Array; used_step: number }>(
    "select secret, used_step from totp where member_id = $1",
    [memberId],
  );
  if (!row || row.secret.length === 0) return undefined;
  const step = stepOf(sealing.open(row.secret, sharedSecretAbout(memberId)), given, { now, used: row.used_step });
  if (step === undefined) return undefined;
  // Of two processes that are given one code at the same time, one finds the step used.
  const used = yield* tx.one(
    "update totp set used_step = $2 where member_id = $1 and used_step < $2 returning member_id",
    [memberId, step],
  );
  return used === undefined ? undefined : "app";
}
