import { type NewDevice, newDevicesOf } from "../accounts/new-device.ts";
import { countLive } from "../boards/show-board.ts";
import { type Context, requireMember } from "../core/context.ts";
import { withProjectUsage } from "../core/project-usage.ts";
import type { Session } from "../core/session.ts";
import { readSettings } from "../core/settings.ts";
import type { Reader } from "../core/store.ts";
import { type OpenNotice, openNotices } from "../notices/open-notices.ts";
import { failuresToOpen } from "../webhooks/subscribers/breaker.ts";
import { type BootProject, projectsOf } from "./boot.ts";

/** The counts and the state of storage that the navigation shows beside its links. */
export interface Rail {
  projects: (BootProject & { reports: number; boards: { id: string; name: string; cards: number }[] })[];
  /** Agent runs that have not ended. */
  runs: number;
  /** Subscribers that are disabled, or back off. */
  troubledSubscribers: number;
  /** For admins: notices that are open and not dismissed, and the one that matters most; the newest of the worst. */
  notices: { open: number; worst?: OpenNotice | undefined };
  /** Sign-ins as this person with a browser or from a network that was new, which nobody has called known. */
  newDevices: { count: number; latest?: NewDevice | undefined };
  storage: {
    /** Bytes that all reports take, and the bytes that the settings allow for all projects together. */
    used: number;
    limit: number;
    /** Why nothing can be committed at the moment. */
    trouble?: string;
  };
}

const selectUsage = withProjectUsage((usage) => `select project_id, events, bytes from ${usage}`);

export async function showRail({
  ctx,
  input: { trouble, session },
}: {
  ctx: Context;
  input: { trouble: string | undefined; session: Session };
}): Promise<Rail> {
  requireMember(ctx);
  const { store } = ctx;
  const [projects, usage, runs, subscribers, notices, settings, newDevices] = await Promise.all([
    projectsOf(ctx),
    store.all<{ project_id: string; events: number; bytes: number }>(selectUsage),
    store.one<{ count: number }>(
      "select cast(count(*) as integer) as count from agent_run where state in ('queued', 'waiting', 'claimed', 'running')",
    ),
    store.one<{ count: number }>(
      `select cast(count(*) as integer) as count from subscriber
       where state = 'disabled' or (state = 'active' and (failures >= $1 or open_until > $2))`,
      [failuresToOpen, ctx.now()],
    ),
    openNotices(ctx),
    readSettings(store),
    newDevicesOf(ctx, session),
  ]);
  const usageOf = new Map(usage.map((row) => [row.project_id, row]));
  return {
    projects: await Promise.all(
      projects.map(async (project) => ({
        ...project,
        reports: usageOf.get(project.id)?.events ?? 0,
        boards: await Promise.all(
          project.boards.map(async (board) => ({ ...board, cards: await countBoard(store, board.id) })),
        ),
      })),
    ),
    runs: runs?.count ?? 0,
    troubledSubscribers: subscribers?.count ?? 0,
    notices,
    newDevices: { count: newDevices.length, latest: newDevices[0] },
    storage: {
      used: usage.reduce((sum, { bytes }) => sum + bytes, 0),
      limit: settings.retention_bytes * Math.max(1, projects.length),
      ...(trouble === undefined ? {} : { trouble }),
    },
  };
}

/** Cards of a board, counted column by column along an index, each up to a bound. */
async function countBoard(store: Reader, id: string): Promise<number> {
  const columns = await store.all<{ id: string }>("select id from board_column where board_id = $1", [id]);
  let cards = 0;
  for (const column of columns) cards += await countLive(store, column.id);
  return cards;
}
