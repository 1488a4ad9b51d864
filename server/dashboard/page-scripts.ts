import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Scripts that a page needs besides the first one, by the pattern of its address. */
export interface PageScripts {
  /** The page is shown without a session. */
  open: boolean;
  /** The page is for admins alone. */
  admin: boolean;
  scripts: string[];
}

/** Of what `bun build --metafile` writes, what is read here. */
export interface Metafile {
  outputs: Record<string, { entryPoint?: string; imports: { path: string; kind: string }[] }>;
}

/**
 * Which scripts each page needs: its own, and whatever these import. Told to the browser with the page, they come side
 * by side; else it would find them one behind the other.
 */
export function pageScripts({ outputs }: Metafile): Record<string, PageScripts> {
  const outputOf = new Map(
    Object.entries(outputs).flatMap(([path, { entryPoint }]) => (entryPoint === undefined ? [] : [[entryPoint, path]])),
  );
  const first = needed(outputOf.get("main.tsx"), new Set());

  function needed(path: string | undefined, found: Set<string>): Set<string> {
    if (path === undefined || found.has(path)) return found;
    found.add(path);
    const imports = outputs[path]?.imports ?? [];
    for (const one of imports) if (one.kind === "import-statement") needed(one.path, found);
    return found;
  }

  return Object.fromEntries(
    pagesIn(readFileSync(join(import.meta.dir, "page/pages.tsx"), "utf8")).map(({ pattern, open, admin, file }) => {
      const own = outputOf.get(file);
      if (own === undefined) throw new Error(`no script is made of ${file}`);
      const scripts = [...needed(own, new Set())].filter((path) => !first.has(path)).map((path) => path.slice(2));
      return [pattern, { open, admin, scripts }];
    }),
  );
}

interface Page {
  pattern: string;
  open: boolean;
  admin: boolean;
  /** Below the folder of the page. */
  file: string;
}

/** The list of pages is for browsers, so it is read as text: an import may stand in it or have a name. */
function pagesIn(text: string): Page[] {
  const named = new Map(
    [...text.matchAll(/const (\w+) = \(\) => import\("\.\/(.+?)"\)/g)].map(([, name = "", file = ""]) => [name, file]),
  );
  const shape = /\{\s*pattern: "(.+?)",(?:\s*(open|admin): true,)?\s*load: (?:\(\) => import\("\.\/(.+?)"\)|(\w+))/g;
  const pages = [...text.matchAll(shape)].map(([, pattern = "", who, file = "", name = ""]) => {
    return { pattern, open: who === "open", admin: who === "admin", file: file || (named.get(name) ?? name) };
  });
  if (pages.length !== text.split('pattern: "').length - 1) throw new Error("a page is written in another way");
  return pages;
}
