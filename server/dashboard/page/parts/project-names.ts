import { boot } from "../core/boot.ts";

/** What projects are called, in the order of the organisation's projects. */
export function projectNames(ids: readonly string[]): string {
  const known = boot.value.projects.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
  const unknown = Array.from({ length: ids.length - known.length }, () => "a project");
  return [...known, ...unknown].join(", ") || "no project";
}
