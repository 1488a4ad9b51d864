import type { Reader, Row, Step, Tx } from "./store.ts";

/** What made a backup: the schedule, an admin on the page, or `intake backup create`. */
export type BackupOrigin = "schedule" | "page" | "command";

/** A try to make a backup. Times are epoch milliseconds. */
export interface BackupTry extends Row {
  number: number;
  origin: BackupOrigin;
  /** Where to, in words. */
  target: string;
  startedAt: number;
  /** Null while the backup is being made, and when its server was killed. */
  endedAt: number | null;
  /** Of the backup; null until it is made. */
  backupId: string | null;
  /** Everything that was answered before is in the backup. */
  asOf: number | null;
  /** Of the database and all attachments. */
  bytes: number | null;
  /** What the backup has added to its target. */
  addedBytes: number | null;
  /** Why no backup was made. */
  failure: string | null;
  /** Why older backups were not removed afterwards. */
  pruneFailure: string | null;
  /** When all of the backup was last read back and found sound, and why it was not the last time. */
  verifiedAt: number | null;
  verifyFailure: string | null;
}

type MadeBackup = BackupTry & { backupId: string; asOf: number; bytes: number; addedBytes: number };

export interface BackupState {
  /** The newest tries, newest first. */
  latest: readonly BackupTry[];
  made: MadeBackup | undefined;
  verified: (MadeBackup & { verifiedAt: number }) | undefined;
  /** The oldest try that is known. */
  first: BackupTry | undefined;
}

/** Tries that are kept; the first one, the newest of the schedule, the newest backup and the newest verified one stay longer. */
const keptTries = 100;
const columns = `number, origin, target, started_at as "startedAt", ended_at as "endedAt", backup_id as "backupId",
  as_of as "asOf", bytes, added_bytes as "addedBytes", failure, prune_failure as "pruneFailure",
  verified_at as "verifiedAt", verify_failure as "verifyFailure"`;
const newestMade = "select max(number) as number from backup_try where backup_id is not null";
const soundNow = "verified_at is not null and verify_failure is null";
const newestVerified = `select max(number) as number from backup_try where ${soundNow}`;
const newestScheduled = "select max(number) as number from backup_try where origin <> 'command'";

/** How the newest tries went, at most `count` of them. */
export async function readBackupState(reader: Reader, count = 10): Promise<BackupState> {
  const one = <T extends BackupTry>(numbers: string) =>
    reader.one<T>(`select ${columns} from backup_try where number = (${numbers})`);
  const [latest, made, verified, first] = await Promise.all([
    reader.all<BackupTry>(`select ${columns} from backup_try order by number desc limit $1`, [count]),
    one<MadeBackup>(newestMade),
    one<MadeBackup & { verifiedAt: number }>(newestVerified),
    one("select min(number) from backup_try"),
  ]);
  return { latest, made, verified, first };
}

/** What the schedule goes by: its newest tries to make backups there, the newest first. */
export async function readTriesTo(reader: Reader, target: string) {
  const ofTarget = "origin <> 'command' and target = $1";
  const newest = (which: string) =>
    reader.one<MadeBackup>(
      `select ${columns} from backup_try where ${ofTarget} and ${which} order by number desc limit 1`,
      [target],
    );
  const [tries, made, verified] = await Promise.all([
    reader.all<BackupTry>(`select ${columns} from backup_try where ${ofTarget} order by number desc limit 10`, [
      target,
    ]),
    newest("backup_id is not null"),
    newest(soundNow),
  ]);
  return { tries, made, verified };
}

/** Notes that a backup is being made; returns the number of the try. */
export function* beginBackupTryStep(
  tx: Tx,
  { origin, target, startedAt }: Pick<BackupTry, "origin" | "target" | "startedAt">,
): Step<number> {
  const [row] = yield* tx.all<{ number: number }>(
    `insert into backup_try (number, origin, target, started_at)
     select coalesce(max(number), 0) + 1, cast($1 as text), cast($2 as text), cast($3 as double precision) from backup_try
     returning number`,
    [origin, target, startedAt],
  );
  const number = row?.number ?? 0;
  yield* tx.run(
    `delete from backup_try where number <= $1
     and number not in (select coalesce(number, 0) from (${newestMade}) as made)
     and number not in (select coalesce(number, 0) from (${newestVerified}) as verified)
     and number not in (select coalesce(number, 0) from (${newestScheduled}) as scheduled)
     and number > (select min(number) from backup_try)`,
    [number - keptTries],
  );
  return number;
}

/** How a try ended: with a backup, or with a failure. */
type EndedTry = { endedAt: number } & (
  | Pick<MadeBackup, "backupId" | "asOf" | "bytes" | "addedBytes">
  | { failure: string }
);

export function* endBackupTryStep(tx: Tx, number: number, ended: EndedTry): Step<void> {
  const { endedAt, backupId, asOf, bytes, addedBytes, failure } = {
    ...{ backupId: null, asOf: null, bytes: null, addedBytes: null, failure: null },
    ...ended,
  };
  yield* tx.run(
    `update backup_try set ended_at = $2, backup_id = $3, as_of = $4, bytes = $5, added_bytes = $6, failure = $7
     where number = $1`,
    [number, endedAt, backupId, asOf, bytes, addedBytes, failure],
  );
}

/** Ends the tries of a server that was killed. */
export function* endInterruptedTriesStep(tx: Tx, endedAt: number): Step<void> {
  yield* tx.run("update backup_try set ended_at = $1, failure = $2 where ended_at is null", [endedAt, interrupted]);
}

const interrupted = "the server was stopped or killed before the backup was made";

/** Notes that a backup was read back; `failure` is why it is not sound. */
export function* backupVerifiedStep(
  tx: Tx,
  backupId: string,
  { at, failure }: { at: number; failure: string | null },
): Step<void> {
  yield* tx.run(
    "update backup_try set verified_at = coalesce($2, verified_at), verify_failure = $3 where backup_id = $1",
    [backupId, failure === null ? at : null, failure],
  );
}

export function* backupsPrunedStep(tx: Tx, number: number, failure: string | null): Step<void> {
  yield* tx.run("update backup_try set prune_failure = $2 where number = $1", [number, failure]);
}

const hour = 3_600_000;
const day = 24 * hour;

/**
 * How much older than allowed the newest verified backup is, in milliseconds; undefined when all is well. Allowed is
 * twice the interval of backups, or two days where they are made more often, as they are verified once a day.
 */
export function backupsOverdue({ verified, first }: BackupState, everyHours: number, now: number): number | undefined {
  const since = verified?.asOf ?? first?.startedAt;
  if (since === undefined) return undefined;
  const over = now - since - 2 * Math.max(everyHours * hour, day);
  return over > 0 ? over : undefined;
}
