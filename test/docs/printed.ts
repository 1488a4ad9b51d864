/** Whether the printed text is the one on a page. `…` on the page stands for any text. */
export function isAsShown(printed: string, shown: string, language: string): boolean {
  if (language !== "json") return patternOf(shown).test(oneBlank(printed));
  return sameJson(JSON.parse(printed), JSON.parse(shown));
}

/** Comments such as `# {"error":"not_found",…} 404   (why)`, which show what the command above them prints. */
export function answersIn(block: string): string[] {
  return [...block.matchAll(/^# (\{.*?)(?: {3}\(.*\))?$/gm)].map(([, answer = ""]) => answer);
}

function patternOf(shown: string): RegExp {
  const parts = oneBlank(shown)
    .split("…")
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^]*?")}$`);
}

/** Columns of a table are as wide as their values, and headers end with a carriage return. */
function oneBlank(text: string): string {
  return text.trim().replaceAll("\r", "").replaceAll(/ +/g, " ");
}

function sameJson(printed: unknown, shown: unknown): boolean {
  if (typeof shown === "string") return typeof printed === "string" && patternOf(shown).test(oneBlank(printed));
  if (typeof shown !== "object" || shown === null) return printed === shown;
  if (typeof printed !== "object" || printed === null) return false;
  const names = Object.keys(shown);
  return (
    names.join() === Object.keys(printed).join() &&
    names.every((name) => sameJson(printed[name as never], shown[name as never]))
  );
}
