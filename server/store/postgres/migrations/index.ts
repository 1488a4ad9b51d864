import type { Migration } from "../../migrations/index.ts";
import baseline from "./0016-baseline.sql" with { type: "text" };
import processes from "./0017-processes.sql" with { type: "text" };
import rateLimits from "./0018-rate-limits.sql" with { type: "text" };
import sharedCounts from "./0019-shared-counts.sql" with { type: "text" };
import exactRateLimits from "./0020-exact-rate-limits.sql" with { type: "text" };
import usageChanges from "./0021-usage-changes.sql" with { type: "text" };
import recentRequests from "./0022-recent-requests.sql" with { type: "text" };
import longRunLogs from "./0023-long-run-logs.sql" with { type: "text" };
import backupTries from "./0024-backup-tries.sql" with { type: "text" };
import subscriberFormat from "./0025-subscriber-format.sql" with { type: "text" };
import mail from "./0026-mail.sql" with { type: "text" };
import notices from "./0027-notices.sql" with { type: "text" };
import providers from "./0028-providers.sql" with { type: "text" };
import sessions from "./0029-sessions.sql" with { type: "text" };
import factors from "./0030-factors.sql" with { type: "text" };

/**
 * One step of the schema on PostgreSQL. SQLite and PostgreSQL share the numbers: a step that both have, has one number,
 * and a step of one of them leaves a gap in the other's list.
 */
export interface PhasedMigration extends Migration {
  /**
   * `expand`: binaries that do not know the step go on, as it only adds. `contract`: it takes away what older binaries
   * use, so it waits until none of them runs, and they refuse to start behind it.
   */
  phase: "expand" | "contract";
}

export const postgresMigrations: readonly PhasedMigration[] = [
  { number: 16, name: "baseline", phase: "expand", sql: baseline },
  { number: 17, name: "processes", phase: "expand", sql: processes },
  { number: 18, name: "rate-limits", phase: "expand", sql: rateLimits },
  { number: 19, name: "shared-counts", phase: "expand", sql: sharedCounts },
  { number: 20, name: "exact-rate-limits", phase: "expand", sql: exactRateLimits },
  { number: 21, name: "usage-changes", phase: "expand", sql: usageChanges },
  { number: 22, name: "recent-requests", phase: "expand", sql: recentRequests },
  { number: 23, name: "long-run-logs", phase: "expand", sql: longRunLogs },
  { number: 24, name: "backup-tries", phase: "expand", sql: backupTries },
  { number: 25, name: "subscriber-format", phase: "expand", sql: subscriberFormat },
  { number: 26, name: "mail", phase: "expand", sql: mail },
  { number: 27, name: "notices", phase: "expand", sql: notices },
  { number: 28, name: "providers", phase: "expand", sql: providers },
  { number: 29, name: "sessions", phase: "expand", sql: sessions },
  { number: 30, name: "factors", phase: "expand", sql: factors },
];
