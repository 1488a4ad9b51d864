import type { Attachment } from "../reports/types.ts";

/** `/tags/build` → `tags.build`, as people write a path. */
function pathWords(pointer: string): string {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .join(".");
}

/** The name that a warning is about, and its message. */
export function warningWords({ path, message }: { path: string; message: string }): { name: string; text: string } {
  const name = pathWords(path);
  if (name === "") return { name, text: message };
  return message.startsWith(`${path} `)
    ? { name, text: message.slice(path.length + 1) }
    : { name: `${name}:`, text: message };
}

/** Says in one sentence what is wrong with a file; undefined when nothing is. */
export function stateWords({ state, filename, part, there }: Attachment): string | undefined {
  if (state === "missing") return `The envelope lists ${filename ?? part}, but it did not arrive.`;
  if (!there) return "Expired by retention; name and digest are kept.";
  if (state === "unlisted") return `${part} arrived without being listed.`;
  if (state === "differs") return "Size or digest differs from the envelope.";
  return undefined;
}

/** Says in one word what is wrong with a file, where there is little room. */
export function stateWord({ state, there }: Attachment): string | undefined {
  if (state === "missing") return "did not arrive";
  if (!there) return "expired";
  if (state === "unlisted") return "not listed";
  if (state === "differs") return "differs";
  return undefined;
}

export function nameOf({ filename, part }: Pick<Attachment, "filename" | "part">): string {
  return filename === null || filename.trim() === "" ? part : filename;
}
