import { pages } from "./pages.ts";

/** The members that are read of the file that `bun build --metafile` writes. */
export interface Metafile {
  outputs: Record<string, { entryPoint?: string; imports: { path: string; kind: string }[] }>;
}

/**
 * The scripts that each page needs besides the first one, by its path: its own and those that they import. The document
 * names them, so that a browser loads them at the same time instead of finding one after the other.
 */
export function pageScripts({ outputs }: Metafile): Record<string, string[]> {
  const outputOf = new Map(
    Object.entries(outputs).flatMap(([path, { entryPoint }]) => (entryPoint === undefined ? [] : [[entryPoint, path]])),
  );
  const first = needed(outputOf.get("main.tsx"), new Set());

  function needed(script: string | undefined, found: Set<string>): Set<string> {
    if (script === undefined || found.has(script)) return found;
    found.add(script);
    const imports = outputs[script]?.imports ?? [];
    for (const one of imports) if (one.kind === "import-statement") needed(one.path, found);
    return found;
  }

  return Object.fromEntries(
    pages.map(({ path, module }) => {
      const output = outputOf.get(`pages/${module}`);
      if (output === undefined) throw new Error(`no script is made of pages/${module}`);
      const scripts = [...needed(output, new Set())].filter((script) => !first.has(script));
      return [path, scripts.map((script) => script.slice(2))];
    }),
  );
}
