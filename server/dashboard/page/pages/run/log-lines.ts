/** Longest row, in UTF-16 units; a longer line continues in the next row. */
const rowMax = 1_000;
/** The most rows that are kept, because browsers cannot scroll more. Older rows are only in the download. */
const rowsMax = 200_000;

/** Turns the text of a log, which arrives in pieces, into rows of plain text. */
export class LogLines {
  rows: string[] = [];
  /** How many rows were removed from the beginning. */
  dropped = 0;
  /** The last line, which has no line end yet. */
  #open = "";
  #openRows = 0;

  /** Adds a piece, which may end in the middle of a line or of an escape sequence. */
  append(text: string) {
    this.rows.length -= this.#openRows;
    const lines = (this.#open + text).split("\n");
    this.#open = lines.pop() ?? "";
    for (const line of lines) this.#add(line);
    // A very long line is cut here; otherwise each piece would process the whole line again.
    if (this.#open.length > rowMax * 100) {
      this.#add(this.#open);
      this.#open = "";
    }
    const before = this.rows.length;
    if (this.#open !== "") this.#add(this.#open);
    this.#openRows = this.rows.length - before;
    const over = this.rows.length - rowsMax;
    if (over > 0) {
      this.rows.splice(0, over);
      this.dropped += over;
    }
  }

  /** Adds a row that is not part of the log, such as the mark of a new attempt. */
  mark(row: string) {
    this.#open = "";
    this.#openRows = 0;
    this.rows.push(row);
  }

  get text(): string {
    return this.rows.join("\n");
  }

  #add(line: string) {
    const plain = plainText(line);
    if (plain.length <= rowMax) {
      this.rows.push(plain);
      return;
    }
    for (let at = 0; at < plain.length; at += rowMax) this.rows.push(plain.slice(at, at + rowMax));
  }
}

const sequences =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?|\x9b[0-?]*[ -/]*[@-~]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: see above
const controls = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/** The text that a terminal would show: without escape sequences, and after the last carriage return. */
export function plainText(line: string): string {
  const bare = line.includes("\x1b") || line.includes("\x9b") ? line.replace(sequences, "") : line;
  const ended = bare.endsWith("\r") ? bare.slice(0, -1) : bare;
  const written = ended.includes("\r") ? ended.slice(ended.lastIndexOf("\r") + 1) : ended;
  return written.replace(controls, "\ufffd").replaceAll("\t", "    ");
}
