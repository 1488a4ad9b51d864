import { firstText, isMembers, textOf } from "./read-untrusted.ts";

export interface Breadcrumb {
  at: string | null;
  /** Milliseconds before the report occurred; negative when the breadcrumb is later. */
  beforeMs: number | null;
  category: string | null;
  level: string | null;
  message: string;
  data: string | null;
}

const breadcrumbsMax = 100;

/** The last breadcrumbs of a report, oldest first. Understands the names that different SDKs give their members. */
export function breadcrumbsOf(listed: unknown, occurredAt: unknown): { items: Breadcrumb[]; total: number } {
  const list = Array.isArray(listed)
    ? listed
    : isMembers(listed) && Array.isArray(listed["values"])
      ? listed["values"]
      : [];
  const occurred = timeOf(occurredAt);
  const items = list.slice(-breadcrumbsMax).map((entry: unknown): Breadcrumb => {
    if (!isMembers(entry)) {
      return { at: null, beforeMs: null, category: null, level: null, message: textOf(entry), data: null };
    }
    const time = timeOf(entry["at"] ?? entry["timestamp"] ?? entry["time"]);
    const { data } = entry;
    return {
      at: time === null ? null : new Date(time).toISOString(),
      beforeMs: time === null || occurred === null ? null : occurred - time,
      category: firstText(entry, ["category", "type"], 64),
      level: firstText(entry, ["level"], 16),
      message: firstText(entry, ["message", "title", "name"]) ?? "",
      data: data === undefined || data === null ? null : textOf(data),
    };
  });
  return { items, total: list.length };
}

const secondsMax = 1e11;
const dateMax = 8.64e15;

/** Parses a time: ISO 8601, or a number of seconds or milliseconds since 1970. */
function timeOf(value: unknown): number | null {
  const time = milliseconds(value);
  return Number.isFinite(time) && Math.abs(time) <= dateMax ? Math.round(time) : null;
}

function milliseconds(value: unknown): number {
  if (typeof value === "string") return Date.parse(value);
  if (typeof value !== "number") return Number.NaN;
  return value < secondsMax ? value * 1_000 : value;
}
