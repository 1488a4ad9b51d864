import { Lexer, type Token, type Tokens } from "marked";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";

/**
 * Renders the tokens of the Markdown lexer as elements; no HTML text is made at any point. HTML in the Markdown is
 * shown as typed. Images become links, so that no other server learns who reads the text.
 */
export function Rendered({
  text,
  names = [],
  below = 1,
}: {
  text: string;
  names?: readonly string[] | undefined;
  /** The level of the heading that the text stands under. */
  below?: number | undefined;
}) {
  return useMemo(
    () => (
      <div class="markdown" dir="auto">
        {treeOf(text, names, below)}
      </div>
    ),
    [text, names.join("\n"), below],
  );
}

function treeOf(text: string, names: readonly string[], below: number): ComponentChildren {
  // Text nested this deeply would keep the lexer busy for seconds or overflow its stack, so it is shown as typed.
  if (deep.test(text)) return <p class="typed">{text}</p>;
  try {
    const tokens = new Lexer({ gfm: true, breaks: true }).lex(text);
    levelHeadings(tokens, { last: below });
    return blocks(tokens, names);
  } catch {
    return <p class="typed">{text}</p>;
  }
}

const deep = /(?:[>*+-] ?|\d+[.)] ){40}|(?:\[|!\[|\*|_|~){200}|[\w.!#$%&'*+/=?^`{|}~-]{4000}/;

const levels = new WeakMap<Token, number>();

/** Lowers headings for screen readers: each is at most one level below the one before, whatever level was typed. */
function levelHeadings(tokens: readonly Token[], state: { last: number }) {
  for (const token of tokens) {
    if (token.type === "heading") {
      state.last = Math.min(token["depth"] + 1, state.last + 1, 4);
      levels.set(token, state.last);
    }
    const inside = token.type === "list" ? (token as Tokens.List).items : (token as Tokens.Generic).tokens;
    if (inside) levelHeadings(inside, state);
  }
}

function blocks(tokens: readonly Token[], names: readonly string[]): ComponentChildren {
  return tokens.map((token, i) => <Block key={i} token={token} names={names} />);
}

type Props = { token: Token; names: readonly string[] };

function Block({ token, names }: Props): ComponentChildren {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading":
      return (
        <Heading level={levels.get(token) ?? 4} depth={token["depth"]}>
          {inline(token.tokens, names)}
        </Heading>
      );
    case "paragraph":
      return <p>{inline(token.tokens, names)}</p>;
    case "code":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <pre class="code-block" tabIndex={0}>
          <code>{token["text"]}</code>
        </pre>
      );
    case "blockquote":
      return <blockquote>{blocks(token.tokens ?? [], names)}</blockquote>;
    case "list":
      return <List list={token as Tokens.List} names={names} />;
    case "table":
      return <Table table={token as Tokens.Table} names={names} />;
    case "hr":
      return <hr />;
    case "text":
      return token.tokens ? <span>{inline(token.tokens, names)}</span> : plain(token["text"], names);
    default:
      return <p class="typed">{token.raw}</p>;
  }
}

function Heading({ level, depth, children }: { level: number; depth: number; children: ComponentChildren }) {
  const look = `heading-${depth}`;
  if (level === 2) return <h2 class={look}>{children}</h2>;
  if (level === 3) return <h3 class={look}>{children}</h3>;
  return <h4 class={look}>{children}</h4>;
}

function List({ list, names }: { list: Tokens.List; names: readonly string[] }) {
  const items = list.items.map((item, i) => (
    <li key={i} class={item.task ? "task" : undefined}>
      {item.task && <input type="checkbox" checked={item.checked === true} disabled aria-label="Done" />}
      {blocks(
        item.tokens.filter(({ type }) => type !== "checkbox"),
        names,
      )}
    </li>
  ));
  if (!list.ordered) return <ul>{items}</ul>;
  return <ol start={typeof list.start === "number" ? list.start : 1}>{items}</ol>;
}

function Table({ table, names }: { table: Tokens.Table; names: readonly string[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div class="wide-table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {table.header.map((cell, i) => (
              <th key={i} scope="col">
                {inline(cell.tokens, names)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, i) => (
            <tr key={i}>
              {row.map((cell, j) => (
                <td key={j}>{inline(cell.tokens, names)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(tokens: readonly Token[] | undefined, names: readonly string[]): ComponentChildren {
  return tokens?.map((token, i) => <Inline key={i} token={token} names={names} />);
}

function Inline({ token, names }: Props): ComponentChildren {
  switch (token.type) {
    case "strong":
      return <strong>{inline(token.tokens, names)}</strong>;
    case "em":
      return <em>{inline(token.tokens, names)}</em>;
    case "del":
      return <del>{inline(token.tokens, names)}</del>;
    case "codespan":
      return <code>{decoded(token["text"])}</code>;
    case "br":
      return <br />;
    case "link":
      return <Link href={token["href"]}>{inline(token.tokens, names)}</Link>;
    case "image":
      return <Link href={token["href"]}>{token["text"] === "" ? "image" : token["text"]}</Link>;
    case "escape":
      return token["text"];
    case "text":
      return token.tokens ? inline(token.tokens, names) : plain(token["text"], names);
    default:
      return token.raw;
  }
}

const allowed = /^(https?:|mailto:)/i;

/** A link, only where the address is safe to follow; otherwise plain text. */
function Link({ href, children }: { href: string; children: ComponentChildren }) {
  const target = decoded(href);
  // The URL parser drops blanks and control characters that could hide a scheme.
  const url = URL.parse(target);
  if (!url || !allowed.test(url.protocol)) return <>{children}</>;
  return (
    <a href={url.href} target="_blank" rel="noopener noreferrer nofollow" title={url.href}>
      {children}
    </a>
  );
}

/** Text with the mentioned members highlighted. */
function plain(text: string, names: readonly string[]): ComponentChildren {
  const shown = decoded(text);
  if (names.length === 0) return shown;
  const pattern = new RegExp(`(@(?:${names.map(escaped).join("|")}))`, "u");
  return shown.split(pattern).map((part, i) =>
    i % 2 === 1 ? (
      <b key={i} class="mention">
        {part}
      </b>
    ) : (
      part
    ),
  );
}

function escaped(name: string): string {
  return name.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

/** Decodes the usual character references of Markdown; others stay as typed. */
function decoded(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi, (typed, decimal, hex, name) => {
    if (name !== undefined) return entities[String(name).toLowerCase()] ?? typed;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : typed;
  });
}
