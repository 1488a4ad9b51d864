import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { backupsOverdue, readBackupState, readTriesTo } from "../../core/backup-tries.ts";
import { settings } from "../../core/settings.ts";
import type { Reader } from "../../core/store.ts";
import type { Holder } from "../lock.ts";
import { bad, counted, type Finding, good, look } from "./finding.ts";
import { settingOf } from "./setting-of.ts";
import { examineShippedLog } from "./shipped-log.ts";

interface Input {
  reader: Reader;
  /** The data directory. */
  folder: string;
  /** The server that runs on the folder. */
  holder: Holder | undefined;
  /** Epoch milliseconds. */
  now: number;
}

const hour = 3_600_000;

/** Whether the server makes backups, how old the newest verified one is, and whether a failing disk would take both. */
export async function examineBackups({ reader, folder, holder, now }: Input): Promise<Finding[]> {
  const check = "backups";
  const stored = await reader.one<{ value: string }>("select value from setting where name = 'backup_to'");
  const to = holder?.backupTo ?? process.env["INTAKE_BACKUP_TO"] ?? stored?.value;
  if (!to) {
    const { made } = await readBackupState(reader, 0);
    const last = made ? `; the last was made by hand ${ago(now - made.asOf)} ago` : "";
    return [
      { check, ...good(`the server makes none: intake settings set backup_to says where${last}`) },
      ...(await examineShippedLog({ reader, folder, holder, now, to: undefined })),
    ];
  }
  return [
    await look(check, async () => {
      const every = await settingOf(reader, "backup_every", settings.backup_every.default);
      const state = await readBackupState(reader, 0);
      const [newest] = (await readTriesTo(reader, to)).tries;
      const why = newest?.failure ?? newest?.verifyFailure;
      const reason = why ? `: ${why}` : "";
      const { verified, made } = state;
      if (backupsOverdue(state, every, now) !== undefined) {
        const found = verified
          ? `the newest verified backup is ${ago(now - verified.asOf)} old`
          : "no backup was verified";
        return bad("backup_overdue", `${found}${reason}`);
      }
      if (why) return bad("backup_failed", `the last try of the server failed${reason}`);
      if (!made) return good("the first one is still to be made");
      const sound = verified ? `the newest verified one is ${ago(now - verified.asOf)} old` : "none was verified yet";
      return good(`the newest is ${ago(now - made.asOf)} old, ${sound}`);
    }),
    await look("backups: disk", () => apart(folder, to)),
    ...(await examineShippedLog({ reader, folder, holder, now, to })),
  ];
}

function apart(folder: string, to: string) {
  if (to.startsWith("s3:")) return good("they are in a bucket");
  let there = to;
  while (!existsSync(there)) there = dirname(there);
  if (statSync(there).dev !== statSync(folder).dev) return good(`${to} is on another disk than the data`);
  return bad("backup_same_disk", `${to} is on the disk of the data directory`);
}

function ago(milliseconds: number): string {
  const hours = Math.max(0, milliseconds) / hour;
  return hours < 48 ? counted(Math.floor(hours), "hour") : counted(Math.floor(hours / 24), "day");
}
