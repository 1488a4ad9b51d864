import { boot } from "../core/boot.ts";

/** Loads the names of projects, in the order of the organisation. */
export function projectNames(ids: readonly string[]): string {
  const known = boot.value.projects.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
  const unknown = Array.from({ length: ids.length - known.length }, () => "a project");
  return [...known, ...unknown].join(", ") || "no project";
}
