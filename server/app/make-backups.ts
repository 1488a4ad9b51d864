import { LogShipping } from "../backup/log-shipping.ts";
import { BackupSchedule } from "../backup/schedule/schedule.ts";
import { readSettings } from "../core/settings.ts";
import type { Place } from "./place.ts";

interface Tools {
  now: () => number;
  /** Where backups are made to; what the setting says when undefined. */
  backupTo: string | undefined;
  /** Called when something about the backups has changed that the page shows. */
  changed: () => void;
}

/** The backups that the server makes by itself, and the log that it ships to the same place. */
export function makeBackups(
  place: Place,
  { now, backupTo, changed }: Tools,
): { backups: BackupSchedule | undefined; shipping: LogShipping | undefined } {
  const { store, folder, keptLog } = place;
  // Rows in a database have tools of their own for backups.
  if (place.peers) return { backups: undefined, shipping: undefined };
  const backups = new BackupSchedule({ store, folder, now, fixedTo: backupTo, changed });
  const shipping =
    keptLog &&
    new LogShipping({
      store,
      folder,
      kept: keptLog,
      plan: async () => ({
        to: (await readSettings(store)).backup_log === "on" ? (await backups.plan()).to : undefined,
      }),
      backUpNow: () => backups.backUpNow("schedule"),
      now: () => Date.now(),
    });
  return { backups, shipping };
}
