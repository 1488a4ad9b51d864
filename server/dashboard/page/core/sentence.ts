/**
 * A refusal as a sentence. The command line prints the same words after its own name, without a capital and a full
 * stop.
 */
export function sentence(text: string): string {
  const [first = ""] = text;
  return first.toUpperCase() + text.slice(first.length) + (/[.!?…:]$/.test(text) ? "" : ".");
}
