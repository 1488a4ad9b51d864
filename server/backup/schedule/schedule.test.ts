import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Installation, install } from "../../../test/support/installation.ts";
import { beginBackupTryStep, readBackupState } from "../../core/backup-tries.ts";
import { setSetting } from "../../core/settings.ts";
import type { CommandEnd, runBackupCommand } from "./backup-command.ts";
import { BackupSchedule } from "./schedule.ts";

const minute = 60_000;
const hour = 60 * minute;

let installation: Installation;
let schedule: BackupSchedule;
let now = Date.UTC(2026, 10, 23);
let monotonic = 0;
/** The commands that were run, by their second word. */
let ran: string[] = [];
/** The backups that each `prune` was told to keep. */
let stays: (string | undefined)[] = [];
let fails = false;

const run: typeof runBackupCommand = ([, word = "", ...args]) => {
  ran.push(word);
  if (word === "prune") stays.push(args[args.indexOf("--keep-id") + 1 || args.length]);
  const id = `b${ran.length}`;
  const made = { id, asOf: new Date(now).toISOString(), bytes: 10, addedBytes: 1 };
  const end: CommandEnd = fails ? { failure: "the folder /b is full (ENOSPC)" } : { result: made };
  return { ended: Promise.resolve(end), stop: async () => {} };
};

beforeEach(async () => {
  installation = await install();
  [now, monotonic, ran, stays, fails] = [Date.UTC(2026, 10, 23), 0, [], [], false];
  const { ctx } = installation;
  await setSetting({ ctx, input: { name: "backup_to", value: `${installation.folder}-backups` } });
  schedule = new BackupSchedule({
    store: ctx.store,
    folder: installation.folder,
    now: () => now,
    fixedTo: undefined,
    changed: () => {},
    run,
    monotonic: () => monotonic,
  });
  await schedule.start();
  await turn();
});
afterEach(async () => {
  await schedule.stop();
  await installation.remove();
});

/** Lets the schedule look, and waits until it has done what is due. */
async function turn(): Promise<void> {
  await schedule.look();
}

/** Time passes, by the clock and otherwise. */
async function pass(milliseconds: number): Promise<void> {
  now += milliseconds;
  monotonic += milliseconds;
  await turn();
}

const created = () => ran.filter((word) => word === "create").length;

test("a backup is made every day and read back, and older ones are pruned; between two of them nothing is run", async () => {
  expect(ran).toEqual(["create", "verify", "prune"]);
  for (let i = 0; i < 23; i++) await pass(hour);
  expect(ran).toHaveLength(3);
  await pass(hour);
  expect(ran.slice(3)).toEqual(["create", "verify", "prune"]);
});

test("where backups are made every hour, one a day is read back", async () => {
  const { ctx } = installation;
  await setSetting({ ctx, input: { name: "backup_every", value: "1" } });
  for (let i = 0; i < 48; i++) await pass(hour);
  expect([created(), ran.filter((word) => word === "verify").length]).toEqual([49, 3]);
  // The one that was read back last stays until the next one was.
  expect([new Set(stays).size, stays.slice(0, 3)]).toEqual([3, ["b1", "b1", "b1"]]);
});

test("after a failure it is tried again later and later, and what failed is counted", async () => {
  fails = true;
  await pass(24 * hour);
  expect([created(), schedule.failures]).toEqual([2, 1]);
  for (let i = 0; i < 4 * 60; i++) await pass(minute);
  // After 5 minutes, after 15, and then every hour.
  expect([created(), schedule.failures]).toEqual([7, 6]);
});

test("a clock that jumps to and fro makes no storm of backups, and holds none up", async () => {
  const year = 365 * 24 * hour;
  for (let i = 0; i < 60; i++) {
    now += i % 2 === 0 ? year : -year;
    await pass(1_000);
  }
  // Within a minute, one at most.
  expect(created()).toBeLessThanOrEqual(2);
  now -= 2 * year;
  await pass(2 * minute);
  const before = created();
  for (let i = 0; i < 23; i++) await pass(hour);
  expect(created()).toBe(before);
  await pass(hour);
  expect(created()).toBe(before + 1);
});

test("a try whose end could not be stored is ended by the next one", async () => {
  const { store } = installation.ctx;
  await store.write((tx) => beginBackupTryStep(tx, { origin: "schedule", target: "/b", startedAt: now }));
  await pass(24 * hour);
  const { latest } = await readBackupState(store, 3);
  expect(latest.map(({ backupId, failure }) => backupId ?? failure)).toEqual([
    "b4",
    "the server was stopped or killed before the backup was made",
    "b1",
  ]);
});
