import type { Reader } from "../core/store.ts";

const tables: Record<string, { table: string; name: string }> = {
  member: { table: "member", name: "name" },
  token: { table: "api_token", name: "name" },
  key: { table: "sdk_key", name: "name" },
  project: { table: "project", name: "name" },
  board: { table: "board", name: "name" },
  column: { table: "board_column", name: "name" },
  repository: { table: "repository", name: "url" },
  // The name of a subscriber instead of its address, because the address may contain a secret.
  subscriber: { table: "subscriber", name: "name" },
  organisation: { table: "organisation", name: "name" },
  ticket: { table: "ticket", name: "title" },
};

/** The present names of objects in the audit log (`token 0198…`); deleted objects have none. */
export async function namesOf(store: Reader, objects: readonly string[]): Promise<Map<string, string>> {
  const ids = new Map<string, Set<string>>();
  for (const object of objects) {
    const [kind = "", id] = object.split(" ");
    if (Object.hasOwn(tables, kind) && id !== undefined) ids.set(kind, (ids.get(kind) ?? new Set()).add(id));
  }
  const names = new Map<string, string>();
  for (const [kind, wanted] of ids) {
    const { table, name } = tables[kind] ?? { table: "", name: "" };
    const list = [...wanted];
    const places = list.map((_, i) => `$${i + 1}`).join(", ");
    const rows = await store.all<{ id: string; name: string | null }>(
      `select id, ${name} as name from ${table} where id in (${places})`,
      list,
    );
    for (const row of rows) if (row.name !== null) names.set(`${kind} ${row.id}`, row.name);
  }
  return names;
}
