/** Of a line in one row; a longer one goes on in the next. */
const rowMax = 1_000;
/** More rows than any browser can scroll are not made: the oldest are left to the download. */
const rowsMax = 200_000;

/** Text as it comes, in pieces, as rows of plain text. */
export class LogLines {
  rows: string[] = [];
  /** Left out at the beginning. */
  dropped = 0;
  /** Of the last line, which may go on. */
  #open = "";
  #openRows = 0;

  /** Adds a piece, which may end within a line, or within a code for colours. */
  append(text: string) {
    this.rows.length -= this.#openRows;
    const lines = (this.#open + text).split("\n");
    this.#open = lines.pop() ?? "";
    for (const line of lines) this.#add(line);
    // Without a line end in sight it is not read again and again.
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

  /** A row that is not the log's own, on a line of its own. */
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

/** What a terminal would show: without codes, and of what a line writes over itself the last. */
export function plainText(line: string): string {
  const bare = line.includes("\x1b") || line.includes("\x9b") ? line.replace(sequences, "") : line;
  const ended = bare.endsWith("\r") ? bare.slice(0, -1) : bare;
  const written = ended.includes("\r") ? ended.slice(ended.lastIndexOf("\r") + 1) : ended;
  return written.replace(controls, "\ufffd").replaceAll("\t", "    ");
}
