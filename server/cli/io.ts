import type { Page } from "../core/page.ts";
import { escapeInvisible } from "../text/escape-invisible.ts";
import { plainJson } from "../text/plain-json.ts";

/** Where a command writes: results on stdout, everything else on stderr. */
export class Io {
  readonly #json: boolean;
  constructor(json: boolean) {
    this.#json = json;
  }

  /** One result: JSON for scripts, otherwise `text` or the members line by line. */
  result(value: object, text: string = lines(value)) {
    process.stdout.write(this.#json ? `${jsonOf(value)}\n` : `${text}\n`);
  }

  /** A page of a list: `{items, next}`, or a table. */
  page<T extends object>(page: Page<T>, columns: readonly (keyof T & string)[]) {
    if (this.#json) return this.result(page);
    const text = page.items.length === 0 ? "none" : table(page.items, columns);
    process.stdout.write(`${text}\n`);
    if (page.next) this.note(`more: --cursor ${page.next}`);
  }

  /**
   * Writes text of other people with its lines, but without anything that steers a terminal; with --json as one JSON
   * string per line.
   */
  text(text: string) {
    const plain = escapeInvisible(text.replace(terminalCodes, "").replace(controls, "\ufffd"));
    process.stdout.write(this.#json ? `${jsonOf(text)}\n` : plain);
  }

  note(text: string) {
    process.stderr.write(`${escapeInvisible(text)}\n`);
  }

  /** Whether there is a terminal with a person who can answer. */
  get interactive(): boolean {
    return process.stdin.isTTY === true && process.stderr.isTTY === true;
  }

  /** Asks a question on the terminal; any answer but yes means no. */
  async confirm(question: string): Promise<boolean> {
    const { createInterface } = await import("node:readline");
    const terminal = createInterface({ input: process.stdin, output: process.stderr });
    const answer = await new Promise<string>((resolve) => {
      terminal.once("close", () => resolve(""));
      terminal.question(`${escapeInvisible(question)} Type yes: `, resolve);
    });
    terminal.close();
    return answer.trim().toLowerCase() === "yes";
  }

  /** A line of progress that the next one overwrites; written to a terminal only. */
  progress(text: string) {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${escapeInvisible(text)}`);
  }
}

/** The reader of the output may stop early, such as `head`: the rest is dropped, which is not an error. */
export function tolerateClosedOutput() {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

function lines(value: object, indent = ""): string {
  return Object.entries(value)
    .map(([name, member]) => {
      if (member === null || typeof member !== "object") return `${indent}${clean(name)}: ${clean(member)}`;
      if (
        Array.isArray(member) &&
        member.length > 0 &&
        member.every((one) => one === null || typeof one !== "object")
      ) {
        return `${indent}${clean(name)}: ${member.map(clean).join(", ")}`;
      }
      if (Object.keys(member).length === 0) return `${indent}${clean(name)}: none`;
      if (Array.isArray(member))
        return [`${indent}${clean(name)}:`, ...member.map((one) => `${indent}  ${item(one)}`)].join("\n");
      return `${indent}${clean(name)}:\n${lines(member, `${indent}  `)}`;
    })
    .join("\n");
}

/** A member of a list on one line: `2026-…  First token  created`. */
function item(value: object): string {
  return Object.values(value).map(full).join("  ");
}

function full(value: unknown): string {
  if (value === null || value === undefined) return "-";
  return clean(typeof value === "object" ? JSON.stringify(value) : value);
}

function table<T extends object>(items: readonly T[], columns: readonly (keyof T & string)[]): string {
  const cells = items.map((item) => columns.map((column, i) => cell(item[column], i === columns.length - 1)));
  const widths = columns.map((column, i) => Math.max(column.length, ...cells.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((text, i) => text.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd();
  return [line(columns), ...cells.map(line)].join("\n");
}

const widest = 60;

/** Cuts a cell to its width, unless it is the last of its line. */
function cell(value: unknown, last: boolean): string {
  const text = Array.isArray(value) ? value.map(full).join(", ") || "-" : full(value);
  return text.length > widest && !last ? `${text.slice(0, widest - 1)}…` : text;
}

/** Sequences that colour text or move the cursor, and all control characters except line ends and tabs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const terminalCodes = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])/g;
const controls = /[^\P{Cc}\n\t\r]/gu;

/**
 * Cleans names and titles, which other people wrote: no control character reaches a terminal, and hidden characters are
 * shown.
 */
function clean(value: unknown): string {
  return escapeInvisible(String(value).replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, " "));
}

function jsonOf(value: object | string): string {
  return plainJson(JSON.stringify(value));
}
