/** A refusal as pages say it; the command line puts it behind its own name, in lower case and without a point. */
export function sentence(text: string): string {
  const [first = ""] = text;
  return first.toUpperCase() + text.slice(first.length) + (/[.!?…:]$/.test(text) ? "" : ".");
}
