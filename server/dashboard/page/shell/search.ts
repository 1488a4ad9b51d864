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

/**
 * Finds everything that has these words or this id. Returns nothing when the call fails, because the palette has other
 * entries.
 */
export async function search(q: string, signal: AbortSignal, limit = 5): Promise<Hit[]> {
  try {
    const { groups } = await done(api.search.get({ query: { q, limit: String(limit) }, fetch: { signal } }));
    return groups.flatMap(({ kind, items }) =>
      items.map(({ id, title, where, href }) => ({
        key: `${kind} ${id}`,
        kind,
        title: title.trim() === "" ? untitled(kind, id) : title,
        where,
        href,
        icon: icons[kind] ?? "right",
      })),
    );
  } catch {
    return [];
  }
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
