import { namesIn } from "./imports.ts";

const declaration =
  /^export (default )?(?:abstract |async |declare )*(?:function\*?|class|const|let|interface|type|enum) (\w+)/gm;
const destructured = /^export const \{([^}]*)\} =/gm;
const list = /^export (?:type )?\{([^}]*)\}/gm;
const value = /^export default (?!async |abstract |function|class)/m;

/** The names that a file exports: those it declares and those it re-exports by name. */
export function exportsOf(text: string): string[] {
  const names = [...text.matchAll(declaration)].map(([, byDefault, name = ""]) => (byDefault ? "default" : name));
  for (const shape of [destructured, list]) {
    for (const [, inside = ""] of text.matchAll(shape)) names.push(...namesIn(inside).map(({ as }) => as));
  }
  if (value.test(text)) names.push("default");
  return [...new Set(names)];
}
