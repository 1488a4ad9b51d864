import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { table } from "../table.ts";
import { outdated } from "./age.ts";
import { toMarkdown } from "./markdown.ts";
import { measuredPaths } from "./measured-paths.ts";
import { quoting } from "./readme.ts";
import { measuredAt, numbersOf, stampOf, withNumbers } from "./section.ts";

const root = join(import.meta.dir, "../../..");
const names = Object.keys(measuredPaths);
const measured = new Date("2026-03-04T05:06:00Z");

function page(numbers: string): string {
  return names.map((name) => `## ${name}\n\n<!-- measured: ${name} -->\n\n${numbers}\n\n<!-- end -->\n`).join("\n");
}

test("the numbers of one section are replaced and every other stays", () => {
  const changed = withNumbers(page("old"), "ingest", "new\n\ntwice");
  expect(numbersOf(changed, "ingest")).toBe("new\n\ntwice");
  for (const name of names.filter((one) => one !== "ingest")) expect(numbersOf(changed, name)).toBe("old");
  expect(withNumbers(changed, "ingest", "old")).toBe(page("old"));
});

test("a page without the block of a bench is refused", () => {
  expect(() => withNumbers("## Tickets\n", "tickets", "new")).toThrow("has no block <!-- measured: tickets -->");
});

test("a stamp can be read again, and numbers without one have no age", () => {
  const stamp = stampOf(measured, "commit 0123456789");
  expect(stamp).toBe("Measured at 2026-03-04 05:06 UTC, commit 0123456789.");
  expect([measuredAt(`${stamp}\n\ntable`), measuredAt("table")]).toEqual([measured.getTime(), undefined]);
});

test("numbers are old when their code has changed since, or when their age is not known", () => {
  const stamped = page(stampOf(measured, "commit 0123456789"));
  const at = (milliseconds: number) => outdated(stamped, (paths) => (paths.includes("client/src") ? milliseconds : 0));
  expect(at(measured.getTime() + 60_000)).toEqual(["client"]);
  expect(at(measured.getTime())).toEqual([]);
  expect(outdated(page("without a stamp"), () => 1)).toEqual(names);
});

test("without a history nothing is said of any age", () => {
  expect(outdated(page("without a stamp"), () => undefined)).toEqual([]);
});

test("every path that a bench declares is there", () => {
  const missing = Object.values(measuredPaths)
    .flat()
    .filter((path) => !existsSync(join(root, path)));
  expect(missing).toEqual([]);
});

test("a table becomes one of Markdown, with the text around it", () => {
  const rows = [
    ["intake", "14865", "9.1 < 10"],
    ["bare | limit", "17083", ""],
  ];
  expect(toMarkdown(`Title\n${table(["", "requests/s", "p99 ms"], rows)}\n\nMachine: two cores`)).toBe(
    [
      "Title",
      "",
      "|               | requests/s | p99 ms      |",
      "| ------------- | ---------- | ----------- |",
      "| intake        | 14865      | 9.1 &lt; 10 |",
      "| bare \\| limit | 17083      |             |",
      "",
      "Machine: two cores",
    ].join("\n"),
  );
});

test("README quotes the tickets a second of the page, rounded to hundreds", () => {
  const benchmarks = page("| intake           | 14865      | 0.87    |");
  expect(quoting("with some 9 tickets a second, each synced", benchmarks)).toBe(
    "with some 14,900 tickets a second, each synced",
  );
  expect(() => quoting("fast", benchmarks)).toThrow("README.md does not say");
  expect(() => quoting("some 9 tickets a second", page(""))).toThrow("no row of Intake");
});
