import { backupsOverdue, readBackupState } from "../../core/backup-tries.ts";
import { isoTime } from "../../core/iso-time.ts";
import type { Rule } from "../rule.ts";

export const backupOld: Rule = {
  name: "backup_old",
  title: "The newest good backup is too old",
  level: "error",
  about:
    "The newest backup that was read back and found sound is older than twice the time between backups (at least two days). Without any backup so far there is no notice.",
  remedy: "See why under Settings, Backups, or run intake backup create and intake backup verify.",
  threshold: "backup_every",
  async look({ store, settings, now }) {
    const state = await readBackupState(store, 1);
    if (backupsOverdue(state, settings.backup_every, now) === undefined) return [];
    const { verified, latest } = state;
    const failure = latest[0]?.failure ?? latest[0]?.verifyFailure;
    const newest = verified ? `The newest good backup is of ${isoTime(verified.asOf)}.` : "There is no good backup.";
    return [
      {
        ...{ subject: "", projectId: null, name: null, path: "/settings/backups" },
        text: failure ? `${newest} The last try: ${failure}` : newest,
      },
    ];
  },
};
