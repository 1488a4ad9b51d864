import type { NoticeMessage } from "../../openapi/schema/webhooks.ts";
import type { Step, Tx } from "../core/store.ts";
import { enqueueStep, subscribersStep } from "../webhooks/deliveries/enqueue.ts";
import type { NoticeRow } from "./notice-row.ts";
import type { Rule } from "./rule.ts";

export interface TellTools {
  now: number;
  newId: () => string;
  publicUrl: string;
}

/**
 * Stores a message that tells what a notice is now, for every subscriber that asks for its type. A notice of one project
 * goes to the subscribers of that project and of all, one of the whole installation to those of all projects.
 */
export function* tellStep(tx: Tx, rule: Rule, row: NoticeRow, { now, newId, publicUrl }: TellTools): Step<void> {
  const told = row.cleared_at === null ? "raised" : "cleared";
  yield* tx.run("update notice set told = $2, told_at = $3 where id = $1", [row.id, told, now]);
  const type = `notice.${told}` as const;
  const subscribers = yield* subscribersStep(tx, { projectId: row.project_id, type, reportType: null });
  if (subscribers.length === 0) return;
  const head = JSON.stringify(messageOf(type, rule, row, { now, publicUrl }));
  yield* enqueueStep(tx, { id: newId(), eventId: null, type, head, tail: null }, subscribers, { now, newId });
}

function messageOf(
  type: NoticeMessage["type"],
  rule: Rule,
  row: NoticeRow,
  { now, publicUrl }: Pick<TellTools, "now" | "publicUrl">,
): NoticeMessage {
  return {
    type,
    timestamp: new Date(now).toISOString(),
    data: {
      id: row.id,
      rule: rule.name,
      level: rule.level,
      title: rule.title,
      text: row.text,
      remedy: rule.remedy,
      subject: row.subject === "" ? null : row.subject,
      name: row.name,
      projectId: row.project_id,
      raisedAt: new Date(row.raised_at).toISOString(),
      clearedAt: row.cleared_at === null ? null : new Date(row.cleared_at).toISOString(),
      times: row.times,
      url: publicUrl + row.path,
    },
  };
}
