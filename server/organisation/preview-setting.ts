import { type Context, requireAdmin } from "../core/context.ts";
import { withProjectUsage } from "../core/project-usage.ts";
import { type SettingName, settings } from "../core/settings.ts";
import type { Reader } from "../core/store.ts";

/** What a change of a setting would delete within minutes; `about` when the count is estimated from averages. */
interface SettingPreview {
  what: "reports" | "deliveries" | null;
  count: number;
  about: boolean;
}

const dayMilliseconds = 86_400_000;
const nothing: SettingPreview = { what: null, count: 0, about: false };

/** Counts what a change would delete. A value that the setting refuses is refused here too. */
export async function previewSetting({
  ctx,
  input: { name, value },
}: {
  ctx: Context;
  input: { name: SettingName; value: string };
}): Promise<SettingPreview> {
  requireAdmin(ctx);
  const setting = settings[name];
  const next = value === "" ? setting.default : setting.read(setting.check(value));
  const limit = next === null ? Number.POSITIVE_INFINITY : Number(next);
  const { store } = ctx;
  const before = ctx.now() - limit * dayMilliseconds;
  switch (name) {
    case "retention_days":
      return { what: "reports", count: await olderReports(store, before), about: false };
    case "retention_events":
      return { what: "reports", count: await reportsBeyond(store, limit), about: false };
    case "retention_bytes":
      return { what: "reports", count: await reportsOfBytesBeyond(store, limit), about: true };
    case "delivery_days":
      return { what: "deliveries", count: await olderDeliveries(store, before), about: false };
    default:
      return nothing;
  }
}

type UsageRow = { project_id: string; events: number; bytes: number };

const selectUsage = withProjectUsage((usage) => `select project_id, events, bytes from ${usage}`);

/** Counts project by project, because the index of reports begins with the project. */
async function olderReports(store: Reader, before: number): Promise<number> {
  let count = 0;
  for (const { project_id } of await store.all<UsageRow>(selectUsage)) {
    const row = await store.one<{ count: number }>(
      "select cast(count(*) as integer) as count from event where project_id in ($1) and received_at < $2",
      [project_id, before],
    );
    count += row?.count ?? 0;
  }
  return count;
}

async function reportsBeyond(store: Reader, kept: number): Promise<number> {
  const rows = await store.all<UsageRow>(selectUsage);
  return rows.reduce((sum, { events }) => sum + Math.max(0, events - kept), 0);
}

async function reportsOfBytesBeyond(store: Reader, kept: number): Promise<number> {
  const rows = await store.all<UsageRow>(selectUsage);
  return rows.reduce((sum, { events, bytes }) => {
    if (bytes <= kept) return sum;
    return sum + Math.ceil(((bytes - kept) / bytes) * events);
  }, 0);
}

async function olderDeliveries(store: Reader, before: number): Promise<number> {
  const row = await store.one<{ count: number }>(
    "select cast(count(*) as integer) as count from delivery where ended_at is not null and ended_at < $1",
    [before],
  );
  return row?.count ?? 0;
}
