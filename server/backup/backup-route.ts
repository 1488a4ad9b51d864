import { onPostgres } from "../core/backup-settings.ts";
import { readBackupState } from "../core/backup-tries.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import { listSettings } from "../core/settings.ts";
import { internalRoute } from "../http/internal-route.ts";
import { closed } from "../http/internal-schema.ts";
import type { LogState } from "./log-shipping.ts";
import type { BackupSchedule } from "./schedule/schedule.ts";

export interface BackupTools {
  /** Undefined where the server makes no backups, as on PostgreSQL. */
  backups: BackupSchedule | undefined;
  /** The log as it is shipped; undefined where it is not. */
  shippedLog: () => LogState | undefined;
}

/** Routes of the page Settings, Backups, for admins. */
export function backupRoutes(tools: BackupTools) {
  const { backups } = tools;
  return [
    internalRoute({
      method: "GET",
      path: "/internal/backups",
      role: "admin",
      handle: ({ ctx }) => showBackups(ctx, tools),
    }),
    internalRoute({
      method: "POST",
      path: "/internal/backups",
      role: "admin",
      body: closed({}),
      handle: async ({ ctx }) => {
        requireAdmin(ctx);
        if (!backups) throw new Refusal("invalid_input", onPostgres);
        if ((await backups.plan()).to === undefined) {
          throw new Refusal("invalid_input", "say first where backups are made to");
        }
        backups.backUpNow("page");
        return showBackups(ctx, tools);
      },
    }),
  ] as const;
}

/** What admins see of the backups: where to, how the last tries went, and what is being done. */
async function showBackups(ctx: Context, { backups, shippedLog }: BackupTools) {
  requireAdmin(ctx);
  const log = shippedLog();
  const { latest, made, verified } = await readBackupState(ctx.store);
  const next = await backups?.nextAt();
  const working = backups?.working;
  return {
    /** What to use instead where the server makes no backups. */
    instead: backups ? null : onPostgres,
    to: (await backups?.plan())?.to ?? null,
    /** The target that a flag or the environment sets; it takes precedence over the setting. */
    fixedTo: backups?.fixedTo ?? null,
    settings: (await listSettings({ ctx })).filter(({ group }) => group === "Backups"),
    nextAt: timeOf(next),
    working: working ? { ...working, since: timeOf(working.since) ?? "" } : null,
    made: made ? shown(made) : null,
    verified: verified ? shown(verified) : null,
    tries: latest.map(shown),
    log: log
      ? {
          upTo: timeOf(log.upTo),
          stopped: log.stopped ?? null,
          failure: log.failure ?? null,
          lostSince: timeOf(log.lostSince),
          gaps: log.gaps,
        }
      : null,
  };
}

type Try = Awaited<ReturnType<typeof readBackupState>>["latest"][number];

function shown({ startedAt, endedAt, asOf, verifiedAt, ...rest }: Try) {
  return {
    ...rest,
    startedAt: timeOf(startedAt) ?? "",
    endedAt: timeOf(endedAt),
    asOf: timeOf(asOf),
    verifiedAt: timeOf(verifiedAt),
  };
}

function timeOf(milliseconds: number | null | undefined): string | null {
  return milliseconds === null || milliseconds === undefined ? null : new Date(milliseconds).toISOString();
}
