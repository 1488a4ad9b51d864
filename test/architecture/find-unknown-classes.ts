/**
 * CSS classes that a page names but no style sheet styles, and classes of style sheets that no page names, a sentence
 * each. Classes are read from the attributes `class` of TSX; a style sheet's class counts as named when any text of a
 * page holds it, whole or as the start of a template such as `text-${tone}`.
 */
export function findUnknownClasses(styles: ReadonlyMap<string, string>, pages: ReadonlyMap<string, string>): string[] {
  const styled = new Map([...styles].flatMap(([file, text]) => classesOfStyle(text).map((name) => [name, file])));
  const unknown = [...pages].flatMap(([file, text]) =>
    classesOfPage(text)
      .filter((name) => !styled.has(name))
      .map((name) => `${file} names the class ${name}, which no style sheet has`),
  );
  const { words, starts } = textsOf([...pages.values()].join("\n"));
  const unused = [...styled]
    .filter(([name]) => !words.has(name) && !starts.some((start) => name.startsWith(start)))
    .map(([name, file]) => `${file} styles the class ${name}, which no page names`);
  return [...new Set([...unknown, ...unused])];
}

function classesOfStyle(text: string): string[] {
  const selectors = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/@import[^;]*;|\{[^{}]*\}/g, "{}");
  return [...selectors.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name = ""]) => name);
}

/** The classes that stand as plain text in an attribute `class="…"`. */
function classesOfPage(text: string): string[] {
  return [...text.matchAll(/\bclass="([^"]*)"/g)].flatMap(([, names = ""]) => names.split(/\s+/).filter(Boolean));
}

/** The words of a page's texts, and the texts that a template goes on from. */
function textsOf(text: string): { words: Set<string>; starts: string[] } {
  const words = new Set(text.match(/[a-z][\w-]*/gi));
  const starts = [...text.matchAll(/([a-z][\w-]*-)\$\{/gi)].map(([, start = ""]) => start);
  return { words, starts };
}
