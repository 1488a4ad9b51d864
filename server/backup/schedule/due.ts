import type { BackupTry } from "../../core/backup-tries.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Pauses after one failure, two, and so on; the last one stays. */
const pauses = [5 * minute, 15 * minute, hour] as const;
/** A try that seems to begin this much later than now was noted before the clock was set back. */
const ahead = 5 * minute;

type Noted = Pick<BackupTry, "startedAt" | "endedAt" | "backupId">;

/**
 * When the next backup is due, given earlier tries, newest first. After a failure it is tried again soon. Tries are known
 * in their order, so that a clock that was set back neither holds backups up until it has caught up, nor makes more than
 * one that would not have been.
 */
export function nextBackupAt(tries: readonly Noted[], everyHours: number, now: number): number {
  const [newest] = tries;
  if (!newest || newest.startedAt > now + ahead) return now;
  if (newest.backupId !== null) return newest.startedAt + everyHours * hour;
  const made = tries.findIndex(({ backupId }) => backupId !== null);
  const failures = made < 0 ? tries.length : made;
  const pause = pauses[Math.min(failures, pauses.length) - 1] ?? hour;
  return Math.min(newest.endedAt ?? newest.startedAt, now) + pause;
}

/**
 * Whether a backup is to be read back now: without it, the time between two that were would be more than a day. Where
 * backups are made less often than that, each is.
 */
export function verifyIsDue(
  made: { asOf: number },
  verified: { asOf: number } | undefined,
  everyHours: number,
): boolean {
  return verified === undefined || made.asOf - verified.asOf + everyHours * hour > day;
}
