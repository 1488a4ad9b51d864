import { api, done } from "../core/api.ts";
import type { IconName } from "../parts/icon.tsx";

export interface Hit {
  key: string;
  kind: string;
  title: string;
  where: string | null;
  href: string;
  icon: IconName;
}

const icons: Record<string, IconName> = {
  card: "ticket",
  report: "report",
  board: "board",
  project: "board",
  member: "users",
  token: "ticket",
  key: "key",
  page: "gear",
};

export interface Results {
  hits: Hit[];
  /** New cards and reports that the search does not find yet. */
  behind?: { cards: number; reports: number };
}

const againMilliseconds = 1_000;

/**
 * Finds everything that has these words or this id, and searches again while new cards or reports are not found yet.
 * Finds nothing when the first call fails, because the palette has other entries.
 */
export async function search(
  q: string,
  { signal, limit = 5, found }: { signal: AbortSignal; limit?: number; found: (results: Results) => void },
) {
  let results: Results = { hits: [] };
  do {
    results = await searchOnce(q, signal, limit).catch(() => ({ hits: results.hits }));
    if (signal.aborted) return;
    found(results);
    if (!results.behind) return;
    await new Promise((resolve) => setTimeout(resolve, againMilliseconds));
  } while (!signal.aborted);
}

async function searchOnce(q: string, signal: AbortSignal, limit: number): Promise<Results> {
  const { groups, behind } = await done(api.search.get({ query: { q, limit: String(limit) }, fetch: { signal } }));
  const hits = groups.flatMap(({ kind, items }) =>
    items.map(({ id, title, where, href }) => ({
      key: `${kind} ${id}`,
      kind,
      title: title.trim() === "" ? untitled(kind, id) : title,
      where,
      href,
      icon: icons[kind] ?? "right",
    })),
  );
  return { hits, ...(behind ? { behind } : {}) };
}

/** Names something by the end of its id, which the search also finds: ids begin with their time. */
function untitled(kind: string, id: string): string {
  return `Untitled ${kind} ${id.slice(-6)}`;
}

/** Finds the token or key with this value. The value is sent once, in a body, and stored nowhere. */
export async function findCredential(value: string): Promise<{ href: string } | undefined> {
  const { found } = await done(api.search.credential.post({ value }));
  return found ?? undefined;
}
