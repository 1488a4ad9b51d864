import { dirname, join, normalize } from "node:path";

/** One import of a file of the project by another, both as paths from its root. */
export interface Import {
  from: string;
  to: string;
  /** False for `import type` and for an import of types only, which the compiler removes. */
  value: boolean;
  /** The imported names, as the exporting file calls them; `*` for all. */
  names: string[];
}

const statement = /^(?:import|export)\s+(type\s)?((?:[^;"]|"[^".][^"]*")*?)from\s+"(\.[^"]+)"/gm;
const bare = /^import\s+"(\.[^"]+)"/gm;
const dynamic = /\bimport\(\s*"(\.[^"]+)"\s*\)/g;

/** Reads every relative import from the text of a file. */
export function importsOf(file: string, text: string): Import[] {
  const found: Import[] = [];
  const add = (specifier: string, value: boolean, names: string[]) =>
    found.push({ from: file, to: normalize(join(dirname(file), specifier)), value, names });
  for (const [, type, names = "", specifier = ""] of text.matchAll(statement)) {
    add(specifier, type === undefined && !onlyTypes(names), importedNames(names));
  }
  for (const [, specifier = ""] of text.matchAll(bare)) add(specifier, true, []);
  for (const [, specifier = ""] of text.matchAll(dynamic)) add(specifier, true, ["*"]);
  return found;
}

/** `a, type B as C` */
export function namesIn(list: string): { name: string; as: string }[] {
  return list
    .replace(/\/\*.*?\*\/|\/\/.*/gs, "")
    .split(",")
    .map((each) => each.trim().replace(/^type /, ""))
    .filter((each) => each !== "")
    .map((each) => {
      const [name = "", as = name] = each.split(/\s+as\s+|:\s*/);
      return { name, as };
    });
}

/** `{ a, type B }`, `page, { a }`, `* as all` */
function importedNames(clause: string): string[] {
  if (clause.includes("*")) return ["*"];
  const inside = /\{([^}]*)\}/.exec(clause)?.[1] ?? "";
  const alone = /^\s*\w/.test(clause) ? ["default"] : [];
  return [...alone, ...namesIn(inside).map(({ name }) => name)];
}

/** `{ type A, type B }` */
function onlyTypes(clause: string): boolean {
  const inside = /^\s*\{([^}]*)\}\s*$/.exec(clause)?.[1];
  if (inside === undefined) return false;
  const each = inside
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return each.length > 0 && each.every((name) => name.startsWith("type "));
}
