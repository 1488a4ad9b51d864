import type { NoticeRow } from "./notice-row.ts";
import type { Finding, Here, Rule } from "./rule.ts";

/** Subscribers are told of the same thing at most once in this time. */
export const tellAgainMilliseconds = 3_600_000;
/** The notice of a momentary rule ends so long after it was raised. */
const momentaryMilliseconds = 86_400_000;
/** A notice of a machine is cleared when no process there has seen its cause for so long. */
const unseenMilliseconds = 300_000;
/** How often the time of the last look is written. */
const seenMilliseconds = 60_000;

/** What a look has found by one rule. */
export interface Looked {
  rule: Rule;
  findings: readonly Finding[];
  /** Its notices are cleared without a word: their causes may be there. */
  off?: boolean;
}

/** What is to be done with a notice. `row` is absent for a new one; `finding` is what it says from now on. */
export interface Change {
  rule: Rule;
  row?: NoticeRow;
  act: "raise" | "update" | "clear" | "stay";
  finding?: Finding;
  /** Whether subscribers are told what the notice then is. */
  tell: boolean;
}

/**
 * What has to change so that the notices say what was found. `rows` are the stored notices that are open, or that
 * subscribers were last told are, and those about what was found. Rules that were not looked at are left as they are.
 * `here` has the subjects of what this process finds by itself.
 */
export function changesOf(
  rows: readonly NoticeRow[],
  looked: readonly Looked[],
  { now, here }: { now: number; here: Here },
): Change[] {
  return looked.flatMap(({ rule, findings, off = false }) => {
    const own = rows.filter((row) => row.rule === rule.name);
    const rowOf = new Map(own.map((row) => [row.subject, row]));
    const found = new Set(findings.map(({ subject }) => subject));
    const mine = (row: NoticeRow) =>
      !rule.everyProcess ||
      [here.machine, here.process].includes(row.subject) ||
      Math.abs(now - row.seen_at) > unseenMilliseconds;
    const over = (row: NoticeRow) =>
      rule.momentary ? now - row.raised_at > momentaryMilliseconds : row.cleared_at === null && mine(row);
    return [
      ...findings.map((finding) => ofFinding(rule, rowOf.get(finding.subject), finding, now)),
      ...own
        .filter(({ subject }) => !found.has(subject))
        .map((row) => ofRest(rule, row, { now, over: row.cleared_at === null && (off || over(row)) })),
    ]
      .map((change) => ({ ...change, tell: change.tell && !off }))
      .filter(({ act, tell }) => act !== "stay" || tell);
  });
}

function ofFinding(rule: Rule, row: NoticeRow | undefined, finding: Finding, now: number): Change {
  if (!row) return { rule, act: "raise", finding, tell: true };
  if (row.cleared_at !== null) return { rule, row, act: "raise", finding, tell: isToTell(row, "raised", now) };
  const { text, name } = finding;
  const differs = text !== row.text || name !== row.name || finding.noticedStep !== undefined;
  const unseen = rule.everyProcess === true && Math.abs(now - row.seen_at) > seenMilliseconds;
  return { rule, row, act: differs || unseen ? "update" : "stay", finding, tell: isToTell(row, "raised", now) };
}

function ofRest(rule: Rule, row: NoticeRow, { now, over }: { now: number; over: boolean }): Change {
  // That something momentary ends is nothing to tell.
  if (over) return { rule, row, act: "clear", tell: !rule.momentary && isToTell(row, "cleared", now) };
  const is = row.cleared_at === null ? "raised" : "cleared";
  return { rule, row, act: "stay", tell: !(rule.momentary && is === "cleared") && isToTell(row, is, now) };
}

/** Of what comes and goes within an hour, subscribers are told the state at its end, and nothing when it is the same. */
function isToTell({ told, told_at }: NoticeRow, is: "raised" | "cleared", now: number): boolean {
  if ((told ?? "cleared") === is) return false;
  return told_at === null || Math.abs(now - told_at) >= tellAgainMilliseconds;
}
