/** How many backups are kept: of so many days, weeks and months, the newest of each. */
export type KeepRule = readonly { unit: Unit; count: number }[];

type Unit = "d" | "w" | "m" | "y";

/** Reads `7d,4w,12m`. Throws for anything else. */
export function readKeepRule(text: string): KeepRule {
  const parts = text.split(",").map((part) => /^([1-9]\d{0,3})([dwmy])$/.exec(part));
  const rule = parts.flatMap((found) => (found ? [{ count: Number(found[1]), unit: found[2] as Unit }] : []));
  const units = new Set(rule.map(({ unit }) => unit));
  if (rule.length < parts.length || units.size < rule.length) {
    throw new Error("must be numbers of days, weeks, months or years, such as 7d,4w,12m");
  }
  return rule;
}

/**
 * The ids that the rule keeps. Of each day (week, month, year; UTC) that has a backup, the newest one counts, for as many
 * of these as the rule says. The newest of all is always kept.
 */
export function keptIds(rule: KeepRule, backups: readonly { id: string; asOf: string }[]): Set<string> {
  const newestFirst = [...backups].sort((a, b) => (a.asOf < b.asOf ? 1 : -1));
  const kept = new Set(newestFirst.slice(0, 1).map(({ id }) => id));
  for (const { unit, count } of rule) {
    const spans = new Set<string>();
    for (const { id, asOf } of newestFirst) {
      const span = spanOf(unit, asOf);
      if (spans.has(span)) continue;
      if (spans.size === count) break;
      spans.add(span);
      kept.add(id);
    }
  }
  return kept;
}

const dayMilliseconds = 86_400_000;
/** 1970-01-05, a Monday. */
const firstMonday = 4;

function spanOf(unit: Unit, asOf: string): string {
  if (unit === "w") return String(Math.floor((Date.parse(asOf) / dayMilliseconds - firstMonday) / 7));
  return asOf.slice(0, { d: 10, m: 7, y: 4 }[unit]);
}
