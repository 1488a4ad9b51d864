import { isAbsolute, normalize } from "node:path";
import { Refusal } from "./context.ts";
import { readKeepRule } from "./keep-rule.ts";
import { readS3Address } from "./s3-address.ts";
import { choice, type Setting, whole } from "./setting-kinds.ts";

const group = "Backups";
/** Bytes that the path of a folder has at most on Linux. */
const pathMax = 4_096;

export const onPostgres =
  "with INTAKE_DATABASE_URL nothing is backed up from here: use PostgreSQL's own tools (pg_dump, or a base backup with an archived log), with versions switched on for the bucket, and keep secret.key";

/** Settings of the backups that the server makes by itself. */
export const backupSettings = {
  backup_to: {
    title: "Where",
    group,
    about:
      "where the server makes backups by itself, none when empty; --backup-to and INTAKE_BACKUP_TO override it; the key of a bucket is that of the server's environment, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    default: null,
    bounds: "a folder as an absolute path, outside the data directory, or s3://BUCKET/PREFIX?region=REGION",
    check: requireBackupTarget,
    read: (stored) => stored,
  } as Setting<string | null>,
  backup_every: whole(
    24,
    { min: 1, max: 8_760 },
    {
      title: "How often",
      group,
      unit: "hours",
      about: "hours between the beginnings of two backups",
    },
  ),
  backup_keep: {
    title: "How many are kept",
    group,
    about:
      "of so many days, weeks, months and years, the newest backup of each is kept; the newest of all always stays",
    default: "7d,4w,12m",
    bounds: "numbers of days (d), weeks (w), months (m) and years (y), such as 7d,4w,12m",
    check(value) {
      try {
        readKeepRule(value);
      } catch (error) {
        throw new Refusal("invalid_input", (error as Error).message);
      }
      return value;
    },
    read: (stored) => stored,
  } as Setting<string>,
  backup_log: choice("off", ["off", "on"], {
    title: "Point in time",
    group,
    about:
      "whether what is stored between two backups is shipped there as well, every 10 seconds, so that intake restore --at can go back to any of these moments",
  }),
};

/** The text of a backup target as it is stored: without an environment it has to name the region of a bucket. */
export function requireBackupTarget(value: string, environment?: Record<string, string | undefined>): string {
  if (/^s3:/i.test(value)) {
    try {
      readS3Address(value, environment);
    } catch (error) {
      throw new Refusal("invalid_input", (error as Error).message);
    }
    return value;
  }
  const path = isAbsolute(value) && !/\p{Cc}/u.test(value) && Buffer.byteLength(value) <= pathMax;
  if (!path) throw new Refusal("invalid_input", "must be an absolute path or s3://BUCKET/PREFIX?region=REGION");
  return normalize(value).replace(/(.)\/+$/, "$1");
}
