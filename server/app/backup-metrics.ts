import type { Registry } from "prom-client";
import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import type { BackupSchedule } from "../backup/schedule/schedule.ts";
import { type BackupState, backupsOverdue, readBackupState } from "../core/backup-tries.ts";
import type { Reader } from "../core/store.ts";

/** The age of backups is told as a time, so that it grows also while nobody asks. Gauges without a value are left out. */
export function watchBackups(
  registry: Registry,
  { backups, store, now }: { backups: BackupSchedule; store: Reader; now: () => number },
) {
  const seconds = (at: number | undefined) => (at === undefined ? undefined : at / 1_000);
  const gauge = (name: string, help: string, read: (state: BackupState) => number | undefined) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const state = await readBackupState(store, 0).catch(() => undefined);
        const value = state && read(state);
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  gauge("intake_backup_timestamp_seconds", "Time up to which the newest backup holds everything.", ({ made }) =>
    seconds(made?.asOf),
  );
  gauge(
    "intake_backup_verified_timestamp_seconds",
    "Time up to which the newest backup that was read back holds everything.",
    ({ verified }) => seconds(verified?.asOf),
  );
  gauge("intake_backup_bytes", "Size of the newest backup.", ({ made }) => made?.bytes);
  gauge("intake_backup_added_bytes", "What the newest backup has added to its target.", ({ made }) => made?.addedBytes);
  new Gauge({
    name: "intake_backup_overdue",
    help: "1 while the newest verified backup is older than twice their interval, or than two days; left out when none are planned.",
    registers: [registry],
    async collect() {
      const overdue = await isOverdue().catch(() => undefined);
      if (overdue === undefined) this.remove();
      else this.set(overdue ? 1 : 0);
    },
  });
  new Counter({
    name: "intake_backup_failures_total",
    help: "Backups of the schedule that could not be made or read back, and older ones that could not be removed.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(backups.failures);
    },
  });

  async function isOverdue(): Promise<boolean | undefined> {
    const { to, everyHours } = await backups.plan();
    if (to === undefined) return undefined;
    return backupsOverdue(await readBackupState(store, 0), everyHours, now()) !== undefined;
  }
}
