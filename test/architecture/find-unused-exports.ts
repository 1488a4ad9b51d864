import { exportsOf } from "./exports.ts";
import { type Import, importsOf } from "./imports.ts";

/** Exported names that no other file imports, a sentence each. `isPublic` names files whose exports may be unused. */
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
