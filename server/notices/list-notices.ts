import { type Context, requireAdmin } from "../core/context.ts";
import { decodeCursor, highest, type Page, type PageInput, pageOf } from "../core/page.ts";
import type { NoticeRow } from "./notice-row.ts";
import { type NoticeView, presentNotice } from "./notice-view.ts";

const conditions = { open: "cleared_at is null", over: "cleared_at is not null", all: "1 = 1" } as const;

/** Which notices a list has: those whose cause is there, dismissed or not; those that are over; or all. */
type NoticeState = keyof typeof conditions;
export const noticeStates = Object.keys(conditions) as NoticeState[];

/** Notices, the one that was raised last first. */
export async function listNotices({
  ctx,
  input: { cursor, limit, state = "all" },
}: {
  ctx: Context;
  input: PageInput & { state?: NoticeState | undefined };
}): Promise<Page<NoticeView>> {
  requireAdmin(ctx);
  const [at = highest, id = ""] = decodeCursor(cursor, ["number", "string"]);
  const rows = await ctx.store.all<NoticeRow>(
    `select * from notice where ${conditions[state]} and (raised_at, id) < ($1, $2)
     order by raised_at desc, id desc limit $3`,
    [at, id, limit + 1],
  );
  return pageOf(rows, limit, (row) => [row.raised_at, row.id], presentNotice);
}
