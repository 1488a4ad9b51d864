import type { Reader } from "../core/store.ts";
import { type Counts, sumOf } from "./counts.ts";

export interface TokenCounts {
  /** Null for the sum of all other tokens. */
  token: { id: string; name: string; revoked: boolean } | null;
  created: number;
  replays: number;
  mismatches: number;
  /** Created tickets, bar by bar. */
  counts: number[];
}

const shownMax = 20;

/** Tickets by token, the busiest token first. */
export async function tokensIn(store: Reader, counts: Counts): Promise<TokenCounts[]> {
  const [created, replays, mismatches] = [counts.totals("ticket"), counts.totals("replay"), counts.totals("mismatch")];
  const bars = counts.labels("ticket");
  const none = counts.at.map(() => 0);
  const ids = [...new Set([...created.keys(), ...replays.keys()])];
  const found = ids.map((id) => ({
    id,
    created: created.get(id) ?? 0,
    replays: replays.get(id) ?? 0,
    mismatches: mismatches.get(id) ?? 0,
    counts: bars.get(id) ?? none,
  }));
  found.sort((a, b) => b.created + b.replays - (a.created + a.replays));
  const shown: TokenCounts[] = [];
  const rest: typeof found = [];
  for (const { id, ...one } of found) {
    const token = shown.length < shownMax ? await tokenOf(store, id) : undefined;
    if (token) shown.push({ token, ...one });
    else rest.push({ id, ...one });
  }
  if (rest.length === 0) return shown;
  const sum = (of: (one: (typeof rest)[number]) => number) => sumOf(rest.map(of));
  const others = {
    token: null,
    created: sum((one) => one.created),
    replays: sum((one) => one.replays),
    mismatches: sum((one) => one.mismatches),
    counts: none.map((_, i) => sum((one) => one.counts[i] ?? 0)),
  };
  return [...shown, others];
}

async function tokenOf(store: Reader, id: string) {
  const row = await store.one<{ name: string; revoked_at: number | null }>(
    "select name, revoked_at from api_token where id = $1",
    [id],
  );
  return row && { id, name: row.name, revoked: row.revoked_at !== null };
}
