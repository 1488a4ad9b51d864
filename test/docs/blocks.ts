/** A fenced block of a Markdown page, with the page's notes for the test that runs the block. */
export interface Block {
  /** The line of the opening fence, from 1. */
  line: number;
  /** The info string after the opening fence: `sh`, `json`, or nothing. */
  language: string;
  text: string;
  /** The name in a paragraph such as `` `agent.sh`: `` before the block: the block is the content of that file. */
  file: string | undefined;
  /** HTML comments right before the block, as `name` or `name: text`. */
  notes: Map<string, string>;
}

/** Every fenced block of a page, from top to bottom. */
export function blocksOf(page: string): Block[] {
  const lines = page.split("\n");
  const blocks: Block[] = [];
  for (let i = 0; i < lines.length; i++) {
    const fence = /^( *)(`{3,})(\w*)/.exec(lines[i] ?? "");
    if (!fence) continue;
    const [, indent = "", ticks = "", language = ""] = fence;
    const end = lines.findIndex((line, at) => at > i && line.trim() === ticks);
    const text = lines.slice(i + 1, end).map((line) => line.slice(indent.length));
    blocks.push({ line: i + 1, language, text: `${text.join("\n")}\n`, ...before(lines.slice(0, i)) });
    i = end;
  }
  return blocks;
}

function before(lines: readonly string[]): Pick<Block, "file" | "notes"> {
  const notes = new Map<string, string>();
  for (const line of lines.toReversed()) {
    const note = /^ *<!-- ([\w -]+?)(?:: (.*?)| (test\/\S+))? -->$/.exec(line);
    if (note) notes.set(note[1] ?? "", note[2] ?? note[3] ?? "");
    else if (line !== "") return { notes, file: /^`([\w.-]+)`:$/.exec(line)?.[1] };
  }
  return { notes, file: undefined };
}

/** What a reader sees: the page without its fenced blocks. */
export function proseOf(page: string): string {
  return page.replaceAll(/^( *)(`{3,}).*\n[\s\S]*?^\1\2$/gm, "");
}
