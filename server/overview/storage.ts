import { type Context, requireMember } from "../core/context.ts";
import { withProjectUsage } from "../core/project-usage.ts";
import { readSettings } from "../core/settings.ts";
import type { Reader } from "../core/store.ts";
import { steps } from "./tally.ts";

/** Space on the disk of the data directory. */
export interface Space {
  /** Bytes that are free. */
  bytes: number;
  /** Whether so little is free that reports are refused. */
  low: boolean;
}

export interface ProjectStorage {
  events: number;
  reportsBytes: number;
  attachmentsBytes: number;
  /** Bytes beyond which the oldest reports are deleted. */
  limitBytes: number;
  /** Growth in bytes a day over the last week; null when it is not known yet. */
  perDayBytes: number | null;
  /** When the growth reaches the limit or fills the disk; null when nothing grows. */
  fullAt: string | null;
  by: "limit" | "disk" | null;
}

const dayMilliseconds = 86_400_000;
const paceMilliseconds = 7 * dayMilliseconds;
const leastMilliseconds = 2 * 3_600_000;
const horizonDays = 3_650;

const selectUsage = withProjectUsage((usage) => `select events, bytes, file_bytes from ${usage} where project_id = $1`);
const selectUsedBytes = withProjectUsage((usage) => `select sum(bytes) as bytes from ${usage}`);

export async function projectStorage({
  store,
  now,
  projectId,
  space,
}: {
  store: Reader;
  now: number;
  projectId: string;
  space: () => Space;
}): Promise<ProjectStorage> {
  const usage = await store.one<{ events: number; bytes: number; file_bytes: number }>(selectUsage, [projectId]);
  const { events = 0, bytes = 0, file_bytes: attachmentsBytes = 0 } = usage ?? {};
  const { retention_bytes: limitBytes } = await readSettings(store);
  const perDayBytes = await paceOf(store, projectId, bytes, now);
  const rooms = [
    { by: "limit", room: limitBytes - bytes },
    { by: "disk", room: space().bytes },
  ] as const;
  const [first] = rooms.toSorted((a, b) => a.room - b.room);
  const days = perDayBytes !== null && perDayBytes > 0 && first ? Math.max(0, first.room) / perDayBytes : undefined;
  const fills = first && days !== undefined && days < horizonDays;
  return {
    events,
    reportsBytes: bytes - attachmentsBytes,
    attachmentsBytes,
    limitBytes,
    perDayBytes,
    fullAt: fills ? new Date(now + days * dayMilliseconds).toISOString() : null,
    by: fills ? first.by : null,
  };
}

/** Growth since a week ago, or since the oldest time for which the size is known. */
async function paceOf(store: Reader, projectId: string, bytes: number, now: number): Promise<number | null> {
  const before = await store.one<{ at: number; count: number }>(
    `select at, count from tally where project_id = $1 and step = $2 and at >= $3 and series = 'kept'
     order by at limit 1`,
    [projectId, steps.long, now - paceMilliseconds],
  );
  if (!before || now - before.at < leastMilliseconds) return null;
  return Math.round(((bytes - before.count) / (now - before.at)) * dayMilliseconds);
}

interface Storage {
  /** Bytes of all projects together. */
  usedBytes: number;
  freeBytes: number;
  limitBytes: number;
  /** Whether reports are refused because the disk is nearly full. */
  low: boolean;
  /** Why storage cannot commit; null when it can. */
  trouble: string | null;
}

/** How full storage is. A single query, because pages ask often. */
export async function showStorage({
  ctx,
  space,
  trouble,
}: {
  ctx: Context;
  space: () => Space;
  trouble: () => string | undefined;
}): Promise<Storage> {
  requireMember(ctx);
  const used = await ctx.store.one<{ bytes: number | null }>(selectUsedBytes);
  const usedBytes = used?.bytes ?? 0;
  const { bytes, low } = space();
  return { usedBytes, freeBytes: bytes, limitBytes: usedBytes + bytes, low, trouble: trouble() ?? null };
}
