import type { Sealing } from "../core/sealing.ts";
import type { SettingValues } from "../core/settings.ts";
import type { Step, Tx } from "../core/store.ts";
import { type Change, changesOf, type Looked } from "./changes.ts";
import { mailNoticesStep, type Told } from "./mail-notices.ts";
import type { NoticeRow } from "./notice-row.ts";
import type { Finding, Here, Rule } from "./rule.ts";
import { type TellTools, tellStep } from "./tell.ts";

/** Open notices of one rule; further causes are raised as these are cleared. */
const openMax = 200;

/** Notices that a look may change: those that are open, those that were told to be, and those about what was found. */
export const selectConcerned = `select * from notice
  where cleared_at is null or told = 'raised'`;

interface ApplyTools extends TellTools {
  /** For mails to admins. */
  sealing: Sealing;
  settings: SettingValues;
  here: Here;
}

/**
 * Stores what a look has found, and messages for those that are to be told. The changes are worked out from the rows as
 * they are now, so that a second process that found the same changes nothing. Returns the ids of the notices that
 * changed.
 */
export function* applyStep(tx: Tx, looked: readonly Looked[], tools: ApplyTools): Step<string[]> {
  const rows = yield* concernedStep(tx, looked);
  const open = new Map<string, number>();
  for (const { rule, cleared_at } of rows) if (cleared_at === null) open.set(rule, (open.get(rule) ?? 0) + 1);
  const changed: string[] = [];
  const told: Told[] = [];
  for (const change of changesOf(rows, looked, tools)) {
    const count = open.get(change.rule.name) ?? 0;
    if (change.act === "raise" && count >= openMax) continue;
    if (change.act === "raise") open.set(change.rule.name, count + 1);
    const row = yield* changeStep(tx, change, tools);
    if (change.tell) {
      yield* tellStep(tx, change.rule, row, tools);
      told.push({ rule: change.rule, row });
    }
    changed.push(row.id);
  }
  yield* mailNoticesStep(tx, told, { ...tools, now: () => tools.now });
  return changed;
}

/** With the rows of what was found, which may be cleared and told to be. */
function* concernedStep(tx: Tx, looked: readonly Looked[]): Step<NoticeRow[]> {
  const rows = yield* tx.all<NoticeRow>(selectConcerned);
  const known = new Set(rows.map(({ rule, subject }) => `${rule} ${subject}`));
  for (const { rule, findings } of looked) {
    for (const { subject } of findings) {
      if (known.has(`${rule.name} ${subject}`)) continue;
      const row = yield* tx.one<NoticeRow>("select * from notice where rule = $1 and subject = $2", [
        rule.name,
        subject,
      ]);
      if (row) rows.push(row);
    }
  }
  return rows;
}

/** Returns the row as it is then. */
function* changeStep(tx: Tx, { rule, row, act, finding }: Change, { newId, now }: ApplyTools): Step<NoticeRow> {
  const next = finding ? withFinding(rule, row, finding, { newId, now, raise: act === "raise" }) : (row as NoticeRow);
  if (finding?.noticedStep) yield* finding.noticedStep(tx);
  if (act === "clear") {
    yield* tx.run("update notice set cleared_at = $2 where id = $1", [next.id, now]);
    return { ...next, cleared_at: now };
  }
  if (act === "stay") return next;
  const columns = Object.keys(next);
  yield* tx.run(
    `insert into notice (${columns.join(", ")}) values (${columns.map((_, i) => `$${i + 1}`).join(", ")})
     on conflict (id) do update set ${columns.map((name) => `${name} = excluded.${name}`).join(", ")}`,
    Object.values(next),
  );
  return next;
}

function withFinding(
  rule: Rule,
  row: NoticeRow | undefined,
  { subject, projectId, name, text, count = 0, path, since }: Finding,
  { newId, now, raise }: { newId: () => string; now: number; raise: boolean },
): NoticeRow {
  const said = { project_id: projectId, name, text, count, path, seen_at: now };
  if (row && !raise) return { ...row, ...said };
  return {
    ...{ id: row?.id ?? newId(), rule: rule.name, subject, ...said },
    ...{ raised_at: since ?? now, cleared_at: null, times: (row?.times ?? 0) + 1 },
    ...{ dismissed_at: null, dismissed_by: null },
    // Something momentary that happens again is another event.
    ...{ told: rule.momentary ? null : (row?.told ?? null), told_at: row?.told_at ?? null },
  };
}
