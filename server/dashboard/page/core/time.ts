import { signal } from "@preact/signals";
import { look } from "./look.ts";

/** Ticks every second while a component shows a passing time. */
export const now = signal(Date.now());
setInterval(() => {
  if (!globalThis.document?.hidden) now.value = Date.now();
}, 1_000);

/** "now", "12 s", "4 m", "3 h", "2 d", then the day. */
export function ago(time: string | number, from = now.value): string {
  const seconds = Math.max(0, Math.round((from - new Date(time).getTime()) / 1_000));
  if (seconds < 5) return "now";
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  if (seconds < 7 * 86_400) return `${Math.floor(seconds / 86_400)} d`;
  return day(time, from);
}

/** "just now", "12 s ago", "on 21 Nov": a time as part of a sentence. */
export function agoInWords(time: string | number, from = now.value): string {
  const text = ago(time, from);
  if (text === "now") return "just now";
  return /^\d+ [smhd]$/.test(text) ? `${text} ago` : `on ${text}`;
}

/** A span of milliseconds: "81 ms", "4 m 12 s", "1 h 55 m". */
export function span(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  const seconds = Math.round(milliseconds / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} m` : `${minutes} m ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} m`;
  return `${Math.floor(hours / 24)} d`;
}

/** "21 Nov", with the year unless it is the present one. */
export function day(time: string | number, from = Date.now()): string {
  return dayOf(new Date(time), new Date(from), look.value.time === "utc" ? { timeZone: "UTC" } : {});
}

/** "14:02" or "14:02:11", in the clock format that the person chose. */
export function clock(time: string | number, { seconds = false } = {}): string {
  return formatted(new Date(time), {
    hour: "2-digit",
    minute: "2-digit",
    ...(seconds ? { second: "2-digit" } : {}),
    ...(look.value.time === "utc" ? { timeZone: "UTC" } : {}),
  });
}

/** A calendar day without a zone, as cards have it: "2026-11-24" → "24 Nov". */
export function calendarDay(text: string): string {
  const [year = 0, month = 1, date = 1] = text.split("-").map(Number);
  return dayOf(new Date(year, month - 1, date), new Date(), {});
}

function dayOf(date: Date, from: Date, zone: { timeZone?: string }): string {
  const year = date.getFullYear() === from.getFullYear() ? {} : ({ year: "numeric" } as const);
  return formatted(date, { day: "numeric", month: "short", ...year, ...zone });
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Formats are kept, because making one takes a hundred times as long as using it, and a list has hundreds of times. */
function formatted(date: Date, options: Intl.DateTimeFormatOptions): string {
  const key = JSON.stringify(options);
  const format = formats.get(key) ?? new Intl.DateTimeFormat("en-GB", options);
  formats.set(key, format);
  return format.format(date);
}

/** To the millisecond in UTC, for receipts: "2026-11-21 13:40:07.482". */
export function exact(time: string | number): string {
  return new Date(time).toISOString().replace("T", " ").replace("Z", "");
}

/** The time in the local zone and in UTC, for a tooltip. */
export function bothClocks(time: string | number): string {
  const date = new Date(time);
  return `${exact(time)} UTC · ${formatted(date, { dateStyle: "medium", timeStyle: "medium" })} here`;
}
