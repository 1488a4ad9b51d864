/**
 * The contents of every element with this name in an answer of S3, whose elements do not nest within themselves. These
 * answers are written by machines: no comments, no CDATA, and attributes only where nothing is read from them.
 */
export function elementsOf(xml: string, name: string): string[] {
  const found: string[] = [];
  const close = `</${name}>`;
  for (let at = 0; ; ) {
    const open = xml.indexOf(`<${name}>`, at);
    if (open < 0) return found;
    const start = open + name.length + 2;
    const end = xml.indexOf(close, start);
    if (end < 0) return found;
    found.push(xml.slice(start, end));
    at = end + close.length;
  }
}

/** The text of the first element with this name; undefined without one. */
export function textOf(xml: string, name: string): string | undefined {
  return elementsOf(xml, name)[0]?.replace(/&(amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-f]{1,6});/gi, (_, entity: string) => {
    if (!entity.startsWith("#")) return entities[entity.toLowerCase()] ?? "";
    const hexadecimal = /^#x/i.test(entity);
    const code = Number.parseInt(entity.slice(hexadecimal ? 2 : 1), hexadecimal ? 16 : 10);
    return code > 0x10ffff ? "" : String.fromCodePoint(code);
  });
}

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
