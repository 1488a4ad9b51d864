import { numbersOf } from "./section.ts";

const quote = /some [\d,]+ tickets a second/;

/** README with the number of tickets a second that docs/benchmarks.md has, rounded to hundreds. */
export function quoting(readme: string, benchmarks: string): string {
  if (!quote.test(readme)) throw new Error("README.md does not say how many tickets a second there are");
  const [, cell = ""] = /^\| intake +\| ([\d,]+) +\|/im.exec(numbersOf(benchmarks, "tickets")) ?? [];
  const perSecond = Number(cell.replaceAll(",", ""));
  if (!(perSecond > 0)) throw new Error("docs/benchmarks.md has no row of Intake among its tickets");
  return readme.replace(quote, `some ${(Math.round(perSecond / 100) * 100).toLocaleString("en")} tickets a second`);
}
