import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Installation, install } from "../../test/support/installation.ts";
import {
  backupsOverdue,
  backupsPrunedStep,
  backupVerifiedStep,
  beginBackupTryStep,
  endBackupTryStep,
  endInterruptedTriesStep,
  readBackupState,
} from "./backup-tries.ts";
import { settings } from "./settings.ts";

const hour = 3_600_000;

let installation: Installation;
beforeEach(async () => {
  installation = await install();
});
afterEach(() => installation.remove());

const begin = (startedAt: number) =>
  installation.ctx.store.write((tx) =>
    beginBackupTryStep(tx, { origin: "schedule", target: "the folder /b", startedAt }),
  );
const end = (number: number, ended: Parameters<typeof endBackupTryStep>[2]) =>
  installation.ctx.store.write((tx) => endBackupTryStep(tx, number, ended));
const verified = (backupId: string, at: number, failure: string | null = null) =>
  installation.ctx.store.write((tx) => backupVerifiedStep(tx, backupId, { at, failure }));

async function make(backupId: string, asOf: number) {
  await end(await begin(asOf), { endedAt: asOf + 1, backupId, asOf, bytes: 10, addedBytes: 5 });
}

const stateNow = () => readBackupState(installation.ctx.store);

test("the newest backup and the newest verified one are known beside the latest tries", async () => {
  expect(await stateNow()).toEqual({ latest: [], made: undefined, verified: undefined, first: undefined });
  await make("a", hour);
  await verified("a", 2 * hour);
  await make("b", 3 * hour);
  await end(await begin(4 * hour), { endedAt: 4 * hour, failure: "the folder /b is full" });
  const { latest, ...state } = await stateNow();
  expect(latest.map(({ number, failure }) => ({ number, failure }))).toEqual([
    { number: 3, failure: "the folder /b is full" },
    { number: 2, failure: null },
    { number: 1, failure: null },
  ]);
  expect(state).toMatchObject({
    made: { backupId: "b", asOf: 3 * hour, bytes: 10, addedBytes: 5, verifiedAt: null },
    verified: { backupId: "a", verifiedAt: 2 * hour },
    first: { number: 1 },
  });
});

test("a backup that was sound and is not any more is no verified one", async () => {
  await make("a", hour);
  await verified("a", hour);
  await make("b", 2 * hour);
  await verified("b", 2 * hour);
  await verified("b", 3 * hour, "an object is missing");
  const { made, verified: sound } = await stateNow();
  expect([made?.verifiedAt, made?.verifyFailure, sound?.backupId]).toEqual([2 * hour, "an object is missing", "a"]);
});

test("a try that a killed server has left is ended by the next one", async () => {
  await begin(hour);
  await installation.ctx.store.write((tx) => endInterruptedTriesStep(tx, 2 * hour));
  await installation.ctx.store.write((tx) => backupsPrunedStep(tx, 1, "the folder /b cannot be used"));
  expect([...(await stateNow()).latest]).toMatchObject([
    {
      endedAt: 2 * hour,
      failure: "the server was stopped or killed before the backup was made",
      pruneFailure: "the folder /b cannot be used",
    },
  ]);
});

test("old tries go, and the last backup and the last verified one stay", async () => {
  await begin(1);
  await make("a", 2);
  await verified("a", 2);
  await make("b", 3);
  for (let i = 0; i < 110; i++) await begin(4);
  const { made, verified: sound, first } = await stateNow();
  expect([made?.backupId, sound?.backupId, first?.number]).toEqual(["b", "a", 1]);
  const count = await installation.ctx.store.one<{ count: number }>("select count(*) as count from backup_try");
  expect(count).toEqual({ count: 103 });
});

test("backups are overdue after twice their interval, or after two days where they are verified once a day", async () => {
  expect(backupsOverdue(await stateNow(), 24, 1_000 * hour)).toBeUndefined();
  await begin(hour);
  expect(backupsOverdue(await stateNow(), 1, 49 * hour)).toBeUndefined();
  expect(backupsOverdue(await stateNow(), 1, 50 * hour)).toBe(hour);
  await make("a", 60 * hour);
  expect(backupsOverdue(await stateNow(), 72, 144 * hour + hour)).toBeUndefined();
  await verified("a", 61 * hour);
  expect(backupsOverdue(await stateNow(), 72, 204 * hour)).toBeUndefined();
  expect(backupsOverdue(await stateNow(), 72, 205 * hour)).toBe(hour);
});

test.each([
  ["backup_to", "/var/backups//intake/", "/var/backups/intake"],
  ["backup_to", "s3://bucket/intake?region=eu-central-1", "s3://bucket/intake?region=eu-central-1"],
  ["backup_keep", "7d,4w,12m", "7d,4w,12m"],
] as const)("the setting %s takes %s", (name, given, stored) => {
  expect(settings[name].check(given)).toBe(stored);
});

test.each([
  ["backup_to", "backups", "must be an absolute path or s3://"],
  ["backup_to", "/a\nb", "must be an absolute path or s3://"],
  ["backup_to", "https://bucket", "must be an absolute path or s3://"],
  ["backup_to", "s3://bucket", "names no region: add ?region=…"],
  ["backup_to", "s3://AKIA:secret@bucket?region=eu-central-1", "must not hold credentials"],
  ["backup_every", "0", "a whole number from 1 to 8760"],
  ["backup_keep", "7", "must be numbers of days"],
  ["backup_keep", "7d,7d", "must be numbers of days"],
] as const)("the setting %s refuses %j", (name, given, reason) => {
  expect(() => settings[name].check(given)).toThrow(reason);
});
