import type { Overview } from "../reports/types.ts";
import type { Span } from "./page.tsx";

/** The properties of every part of the overview. */
export interface Part {
  data: Overview;
  projectId: string;
  span: Span;
}

const words = { "24h": "the last 24 hours", "7d": "the last 7 days", "30d": "the last 30 days" } as const;

export function spanWords(span: Span): string {
  return words[span];
}

/** "12 %", "0.4 %"; "–" when the whole is 0. */
export function percent(share: number | null): string {
  if (share === null || !Number.isFinite(share)) return "–";
  const hundred = share * 100;
  if (hundred > 0 && hundred < 0.1) return "< 0.1 %";
  // Less than everything is never shown as 100 %.
  if (hundred < 100 && hundred > 99.9) return "> 99.9 %";
  return `${hundred < 10 || hundred > 99 ? Math.round(hundred * 10) / 10 : Math.round(hundred)} %`;
}
