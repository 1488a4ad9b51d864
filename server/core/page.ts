/** Lists are paged by keyset: a cursor holds the sort keys of the last item, so that no page skips or repeats one. */
export interface PageInput {
  cursor?: string | undefined;
  /** 1 to 200. */
  limit: number;
}

export interface Page<T> {
  items: T[];
  /** Cursor of the next page, null on the last one. */
  next: string | null;
}

export class InvalidCursor extends Error {
  override name = "InvalidCursor";
  override message = "the cursor is not one that this list has given";
}

type Keys<K extends readonly ("string" | "number")[]> = {
  [I in keyof K]?: K[I] extends "string" ? string : number;
};

/** The sort keys in a cursor, none when there is no cursor. */
export function decodeCursor<const K extends readonly ("string" | "number")[]>(
  cursor: string | undefined,
  types: K,
): Keys<K> {
  if (cursor === undefined) return [] as unknown as Keys<K>;
  let keys: unknown;
  try {
    keys = JSON.parse(Buffer.from(cursor, "base64url").toString());
  } catch {
    throw new InvalidCursor();
  }
  if (!Array.isArray(keys) || keys.length !== types.length) throw new InvalidCursor();
  for (const [i, type] of types.entries()) {
    if (typeof keys[i] !== type) throw new InvalidCursor();
  }
  return keys as unknown as Keys<K>;
}

/** Takes `limit + 1` rows; the one too many tells that there is a next page. */
export function pageOf<R, T>(
  rows: readonly R[],
  limit: number,
  keysOf: (row: R) => readonly (string | number)[],
  present: (row: R) => T,
): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { items: shown.map(present), next: more ? encodeCursor(keysOf(last)) : null };
}

export function encodeCursor(keys: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(keys)).toString("base64url");
}

/** Numbers below and above every stored one, which PostgreSQL and SQLite read alike. */
export const lowest = -1e308;
export const highest = 1e308;
