import type { Context } from "../core/context.ts";
import type { NoticeRow } from "./notice-row.ts";
import type { NoticeLevel } from "./rule.ts";
import { ruleOf } from "./rules.ts";

/** An open notice as every page shows it. */
export interface OpenNotice {
  level: NoticeLevel;
  title: string;
  /** What it is about, where that has a name, and what was found. */
  text: string;
}

const order: readonly NoticeLevel[] = ["error", "warning", "info"];
/** Notices that are counted at most; a page says no more than that there are many. */
const countedMax = 1_000;

/** The open notices that nobody has dismissed. Members who are not admins have none. */
export async function openNotices({
  actor,
  store,
}: Context): Promise<{ open: number; worst?: OpenNotice | undefined }> {
  if (actor.kind === "member" && actor.role !== "admin") return { open: 0 };
  const rows = await store.all<Pick<NoticeRow, "rule" | "name" | "text">>(
    `select rule, name, text from notice where cleared_at is null and dismissed_at is null
     order by raised_at desc, id desc limit ${countedMax}`,
  );
  const [worst] = rows
    .map(({ rule, name, text }): OpenNotice => {
      const { level = "warning", title = rule } = ruleOf(rule) ?? {};
      return { level, title, text: name === null ? text : `${name}: ${text}` };
    })
    .sort((one, other) => order.indexOf(one.level) - order.indexOf(other.level));
  return { open: rows.length, worst };
}
