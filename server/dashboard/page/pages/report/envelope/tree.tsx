import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { plural, whole } from "../../../core/format.ts";
import { windowOf } from "../../../core/window.ts";
import { CopyButton } from "../../../parts/copy.tsx";
import type { Mark } from "./marks.ts";
import { canOpen, copiedOf, type Line, Lines, membersMax, shownOf } from "./rows.ts";
import { type Span, spanAt } from "./spans.ts";

export interface TreeProps {
  text: string;
  label: string;
  /** Marks by the path of their line. */
  marks: ReadonlyMap<string, Mark>;
}

/** Height of a row in pixels, as in the style sheet. */
const rowHeight = 24;
const indentMax = 24;
/** A value of fewer characters is open at first. */
const openedCharacters = 2_000;
/** A text of fewer characters is completely open at first. */
const shortCharacters = 600;

/** A JSON text as a tree (ARIA tree). Only open lines in view are rendered, so a long text stays fast. */
export default function Tree({ text, label, marks }: TreeProps) {
  const id = useId();
  const lines = useMemo(() => new Lines(text), [text]);
  const root = useMemo(() => spanAt(text), [text]);
  const [open, setOpen] = useState<ReadonlySet<string>>(() => openAtFirst(lines, root));
  const all = useMemo(() => lines.of(root, open), [lines, open]);
  const [active, setActive] = useState(all[0]?.path ?? "");
  const at = Math.max(
    0,
    all.findIndex(({ path }) => path === active),
  );
  const line = all[at];

  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 400 });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    if (at * rowHeight < element.scrollTop) element.scrollTop = at * rowHeight;
    else if ((at + 1) * rowHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = (at + 1) * rowHeight - element.clientHeight;
    }
  }, [active]);
  const { from, to } = windowOf({ ...view, rowHeight, count: all.length, around: 10 });
  const indices = Array.from({ length: to - from }, (_, i) => from + i);
  // The current line is rendered even before the view has scrolled to it.
  if (at < from || at >= to) indices.push(at);

  if (!line) return <p class="dim">It is empty.</p>;

  function toggle({ path }: Line, to = !open.has(path)) {
    const next = new Set(open);
    if (to) next.add(path);
    else next.delete(path);
    setOpen(next);
  }

  function keyed(event: KeyboardEvent) {
    if (!line || event.altKey || event.ctrlKey || event.metaKey) return;
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -all.length, End: all.length }[
      event.key
    ];
    if (step !== undefined) setActive(all[Math.max(0, Math.min(all.length - 1, at + step))]?.path ?? "");
    else if (event.key === "ArrowRight" && canOpen(line)) {
      if (line.open) setActive(all[at + 1]?.path ?? active);
      else toggle(line, true);
    } else if (event.key === "ArrowLeft") {
      if (line.open) toggle(line, false);
      else setActive(all.slice(0, at).findLast(({ depth }) => depth < line.depth)?.path ?? active);
    } else if ((event.key === "Enter" || event.key === " ") && canOpen(line)) toggle(line);
    else return;
    event.preventDefault();
  }

  const copied = copiedOf(text, line);
  return (
    <div class="stacked">
      <div class="row wrap">
        <code class="grow ellipsis" dir="auto" title={line.path}>
          {pathText(line.path)}
        </code>
        <CopyButton text={pathText(line.path)} label="Copy path" class="btn" />
        <CopyButton text={copied} label="Copy value" class="btn" />
      </div>
      <div
        class="tree"
        ref={box}
        role="tree"
        aria-label={label}
        tabIndex={0}
        aria-activedescendant={`${id}-${at}`}
        onKeyDown={keyed}
        onScroll={(event) => setView({ top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight })}
      >
        <div role="presentation" class="rows" style={{ height: `${all.length * rowHeight}px` }}>
          {indices.map((index) => {
            const one = all[index];
            return (
              one && (
                <TreeLine
                  key={one.path}
                  id={`${id}-${index}`}
                  top={index * rowHeight}
                  line={one}
                  text={text}
                  count={canOpen(one) ? lines.countOf(one) : undefined}
                  mark={marks.get(one.path)}
                  active={one.path === line.path}
                  onChoose={() => setActive(one.path)}
                  onToggle={() => toggle(one)}
                />
              )
            );
          })}
        </div>
      </div>
      {line.kind === "string" && shownOf(text, line).cut && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <pre class="code-block log" tabIndex={0} dir="auto">
          {copied}
        </pre>
      )}
    </div>
  );
}

/** The paths that are open at first: all of a short text, otherwise the small values at the top. */
function openAtFirst(lines: Lines, root: Span): ReadonlySet<string> {
  const whole = root.end - root.start < shortCharacters;
  let open: ReadonlySet<string> = new Set();
  for (;;) {
    const small = lines.of(root, open).filter((line) => canOpen(line) && line.end - line.start < openedCharacters);
    const next = new Set(small.map(({ path }) => path));
    if (!whole || next.size === open.size) return next;
    open = next;
  }
}

function TreeLine({
  id,
  top,
  line,
  text,
  count,
  mark,
  active,
  onChoose,
  onToggle,
}: {
  id: string;
  top: number;
  line: Line;
  text: string;
  count: number | undefined;
  mark: Mark | undefined;
  active: boolean;
  onChoose: () => void;
  onToggle: () => void;
}) {
  const opens = canOpen(line);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of a tree are handled by the tree
    <div
      id={id}
      class={`leaf ${line.kind}${active ? " now" : ""}`}
      style={{ transform: `translateY(${top}px)`, paddingLeft: `${6 + 14 * (Math.min(line.depth, indentMax) - 1)}px` }}
      role="treeitem"
      tabIndex={-1}
      aria-level={line.depth}
      aria-posinset={line.index}
      aria-setsize={line.of}
      aria-selected={active}
      aria-expanded={opens ? line.open : undefined}
      onClick={() => {
        onChoose();
        if (opens) onToggle();
      }}
    >
      <span class="toggle" aria-hidden="true">
        {opens ? (line.open ? "▾" : "▸") : ""}
      </span>
      <span class="key" dir="auto">
        {line.key}
      </span>
      {opens ? (
        <span class="dim">{countWords(line, count)}</span>
      ) : (
        <span class="value ellipsis" dir="auto">
          {shownOf(text, line).value}
        </span>
      )}
      {mark && (
        <span class={`pill ${mark.tone}`} title={mark.title}>
          {mark.word}
        </span>
      )}
    </div>
  );
}

function countWords({ kind }: Line, count: number | undefined): string {
  if (count === undefined) return kind === "object" ? "{…}" : "[…]";
  if (count >= membersMax) return `the first ${whole(membersMax)}, the rest stands in Raw`;
  return kind === "object" ? plural(count, "member") : plural(count, "entry", "entries");
}

/** `tags.build`, `breadcrumbs[3].message`: a path as code writes it. */
function pathText(pointer: string): string {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((part, i) =>
      /^\d+$/.test(part)
        ? `[${part}]`
        : /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(part)
          ? `${i === 0 ? "" : "."}${part}`
          : `[${JSON.stringify(part)}]`,
    )
    .join("");
}
