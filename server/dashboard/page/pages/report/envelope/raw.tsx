import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { windowOf } from "../../../core/window.ts";
import { startsOf } from "./raw-lines.ts";

const rowHeight = 18;

/** The envelope as it was sent, with long lines broken. Only the lines in view are rendered. */
export function Raw({ text }: { text: string }) {
  const starts = useMemo(() => startsOf(text), [text]);
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 400 });
  useLayoutEffect(() => {
    const element = box.current;
    if (element) setView({ top: element.scrollTop, height: element.clientHeight });
  }, [text]);
  const { from, to } = windowOf({ ...view, rowHeight, count: starts.length, around: 10 });
  return (
    <section
      class="tree raw"
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label="The envelope as it was sent"
      onScroll={(event) => setView({ top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight })}
    >
      <div class="rows" style={{ height: `${starts.length * rowHeight}px` }}>
        <pre style={{ transform: `translateY(${from * rowHeight}px)` }}>
          {starts
            .slice(from, to)
            .map((start, i) => text.slice(start, starts[from + i + 1]).replace(/\r?\n$/, ""))
            .join("\n")}
        </pre>
      </div>
    </section>
  );
}
