/** The numbers of one bench in docs/benchmarks.md, between `<!-- measured: NAME -->` and `<!-- end -->`. */
export function numbersOf(page: string, name: string): string {
  const { from, to } = boundsOf(page, name);
  return page.slice(from, to).trim();
}

export function withNumbers(page: string, name: string, numbers: string): string {
  const { from, to } = boundsOf(page, name);
  return `${page.slice(0, from)}\n${numbers}\n\n${page.slice(to)}`;
}

function boundsOf(page: string, name: string): { from: number; to: number } {
  const start = `<!-- measured: ${name} -->\n`;
  const at = page.indexOf(start);
  const to = page.indexOf("<!-- end -->", at);
  if (at < 0 || to < 0) throw new Error(`docs/benchmarks.md has no block ${start.trim()} … <!-- end -->`);
  return { from: at + start.length, to };
}

/** The line that says when numbers were measured and from which sources. */
export function stampOf(when: Date, commit: string): string {
  return `Measured at ${when.toISOString().slice(0, 16).replace("T", " ")} UTC, ${commit}.`;
}

/** Epoch milliseconds of the stamp; undefined for numbers from before there were stamps. */
export function measuredAt(numbers: string): number | undefined {
  const [, day, time] = /^Measured at (\d{4}-\d\d-\d\d) (\d\d:\d\d) UTC, /m.exec(numbers) ?? [];
  return day === undefined ? undefined : Date.parse(`${day}T${time}Z`);
}
