import { exportsOf } from "./exports.ts";
import { type Import, importsOf } from "./imports.ts";

/** What is exported although no other file imports it, a sentence each. `isPublic` names files that others import. */
export function findUnusedExports(
  files: ReadonlyMap<string, string>,
  isPublic: (file: string) => boolean = () => false,
): string[] {
  const used = new Map<string, Set<string>>();
  const use = ({ to, names }: Import) => used.set(to, new Set([...(used.get(to) ?? []), ...names]));
  for (const [file, text] of files) for (const each of importsOf(file, text)) use(each);
  return [...files].flatMap(([file, text]) => {
    const names = used.get(file) ?? new Set();
    if (isPublic(file) || names.has("*")) return [];
    return exportsOf(text)
      .filter((name) => !names.has(name))
      .map((name) => `${file} exports ${name}, which no other file imports`);
  });
}
