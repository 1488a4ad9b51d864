import { version } from "../../package.json";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import { type ClockJudgement, clockAdvice, clockWords } from "../core/judge-clock.ts";
import { withProjectUsage } from "../core/project-usage.ts";
import { listSettings, type SettingName } from "../core/settings.ts";
import type { Row } from "../core/store.ts";
import { migrations } from "../store/migrations/index.ts";

export interface OrganisationTools {
  databaseBytes: () => Promise<number>;
  space: () => { bytes: number; low: boolean };
  /** Why nothing can be stored at the moment. */
  trouble: () => string | undefined;
  /** What is wrong with the clock, while nothing is deleted by age. */
  clockDoubt: () => ClockJudgement | undefined;
  startedAt: number;
  /** Throws when the place of this installation does not allow a value that the setting itself does. */
  requireSetting: (name: SettingName, value: string) => void;
}

interface UsageRow extends Row {
  id: string;
  name: string;
  events: number;
  bytes: number;
  file_bytes: number;
  day: string;
  day_bytes: number;
}

const selectUsage = withProjectUsage(
  (usage) => `select p.id, p.name, u.events, u.bytes, u.file_bytes, u.day, u.day_bytes
    from ${usage} u join project p on p.id = u.project_id order by u.bytes desc, p.id limit 200`,
);

/** What admins see of their installation: name, settings, stored data and health. */
export async function showOrganisation({ ctx, tools }: { ctx: Context; tools: OrganisationTools }) {
  requireAdmin(ctx);
  const organisation = await ctx.store.one<{ id: string; name: string }>("select id, name from organisation");
  if (!organisation) throw new Refusal("not_found");
  const usage = await ctx.store.all<UsageRow>(selectUsage);
  const today = new Date(ctx.now()).toISOString().slice(0, 10);
  const { bytes: freeBytes, low } = tools.space();
  const doubt = tools.clockDoubt();
  return {
    id: organisation.id,
    name: organisation.name,
    publicUrl: {
      /** The public address that a flag or the environment sets; it takes precedence over the setting. */
      fixed: ctx.publicUrl.fixed ?? null,
      fallback: ctx.publicUrl.fallback,
    },
    settings: await listSettings({ ctx }),
    storage: {
      freeBytes,
      low,
      trouble: tools.trouble() ?? null,
      clock: doubt ? `${clockWords(doubt)}. ${clockAdvice}` : null,
      databaseBytes: await tools.databaseBytes(),
      projects: usage.map(({ id, name, events, bytes, file_bytes, day, day_bytes }) => ({
        id,
        name,
        events,
        reportsBytes: bytes - file_bytes,
        attachmentsBytes: file_bytes,
        todayBytes: day === today ? day_bytes : 0,
      })),
    },
    diagnostics: {
      version,
      bun: Bun.version,
      platform: `${process.platform} ${process.arch}`,
      schema: migrations.at(-1)?.number ?? 0,
      startedAt: new Date(tools.startedAt).toISOString(),
      memoryBytes: process.memoryUsage.rss(),
    },
  };
}
