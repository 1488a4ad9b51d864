import { Refusal } from "../core/context.ts";
import type { Reader } from "../core/store.ts";

/** The project with this id, unless it is being deleted; refused with `not_found` otherwise. */
export async function requireProject(store: Reader, id: string): Promise<{ id: string; name: string }> {
  const project = await store.one<{ id: string; name: string }>(
    "select id, name from project where id = $1 and deleted_at is null",
    [id],
  );
  if (!project) throw new Refusal("not_found");
  return project;
}
