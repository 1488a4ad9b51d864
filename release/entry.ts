/** One member of an archive. Who made the archive, where and when is in none of it: owner 0, one time for all. */
export type Entry =
  | { path: string; kind: "file"; mode: number; bytes: Uint8Array; owner?: number }
  | { path: string; kind: "folder"; mode: number; owner?: number }
  | { path: string; kind: "link"; to: string };

export function file(path: string, content: Uint8Array | string, mode = 0o644): Entry {
  return { path, kind: "file", mode, bytes: typeof content === "string" ? new TextEncoder().encode(content) : content };
}

/** Sorted by path, so that the order in which a folder was read does not matter. */
export function sorted(entries: readonly Entry[]): Entry[] {
  return entries.toSorted((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0));
}
