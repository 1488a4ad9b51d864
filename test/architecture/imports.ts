import { dirname, join, normalize } from "node:path";

/** One import of a file of the project by another, both as paths from its root. */
export interface Import {
  from: string;
  to: string;
  /** False for `import type` and for an import of nothing but types: it is gone when the code runs. */
  value: boolean;
}

const statement = /^(?:import|export)\s+(type\s)?((?:[^;"]|"[^".][^"]*")*?)from\s+"(\.[^"]+)"/gm;
const bare = /^import\s+"(\.[^"]+)"/gm;
const dynamic = /\bimport\("(\.[^"]+)"\)/g;

/** Every relative import of a file, as its text says. */
export function importsOf(file: string, text: string): Import[] {
  const found: Import[] = [];
  const add = (specifier: string, value: boolean) =>
    found.push({ from: file, to: normalize(join(dirname(file), specifier)), value });
  for (const [, type, names = "", specifier = ""] of text.matchAll(statement)) {
    add(specifier, type === undefined && !onlyTypes(names));
  }
  for (const [, specifier = ""] of text.matchAll(bare)) add(specifier, true);
  for (const [, specifier = ""] of text.matchAll(dynamic)) add(specifier, true);
  return found;
}

/** `{ type A, type B }` */
function onlyTypes(names: string): boolean {
  const inside = /^\s*\{([^}]*)\}\s*$/.exec(names)?.[1];
  if (inside === undefined) return false;
  const each = inside
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return each.length > 0 && each.every((name) => name.startsWith("type "));
}
