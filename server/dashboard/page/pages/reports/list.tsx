import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { plural, whole } from "../../core/format.ts";
import { narrow } from "../../core/narrow.ts";
import { windowOf } from "../../core/window.ts";
import { openReport } from "../report/place.ts";
import type { Feed } from "./feed.ts";
import { indexOf, rowAt } from "./pages.ts";
import { dayAndClock } from "./range.ts";
import { Row, RowGap } from "./row.tsx";
import type { Selection } from "./selection.ts";

/** Heights of a row in pixels, as in the style sheet. */
const rowHeights = { wide: 53, narrow: 64 };
/** The list renders other rows after scrolling by this many rows, which is fewer than are rendered ahead. */
const stride = 4;
/** The next rows are loaded when the last loaded row is this many rows away. */
const ahead = 40;

/** The rows of the list; only those near the visible part are rendered. */
export function List({
  feed,
  open,
  current,
  selection,
  onTop,
}: {
  feed: Feed;
  /** Id of the report that is shown beside the list. */
  open: string | undefined;
  /** Id of the row that keys act on. */
  current: string | undefined;
  selection: Selection;
  /** Called when the newest rows come into view or leave it. */
  onTop: (top: boolean) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const rowHeight = narrow.value ? rowHeights.narrow : rowHeights.wide;
  const { from, to } = windowOf({ ...view, rowHeight, count: feed.count });

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    if (feed.more && to > feed.count - ahead && feed.lookedBackTo === undefined) feed.loadNext();
    for (const index of [from, Math.max(from, to - 1)]) {
      const found = rowAt(feed.pages, index);
      if (found && !found.row) feed.load(found.page);
    }
  });

  // A list that starts again is scrolled to its beginning.
  useEffect(() => {
    if (box.current) box.current.scrollTop = 0;
  }, [feed.turn]);

  // The row that keys act on is scrolled into view.
  const at = current === undefined ? -1 : indexOf(feed.pages, current);
  useEffect(() => {
    const element = box.current;
    if (!element || at < 0) return;
    const [top, bottom] = [at * rowHeight, (at + 1) * rowHeight];
    if (top < element.scrollTop) element.scrollTop = top;
    else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight;
  }, [at, rowHeight]);

  const indices = Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
  // The focused row stays rendered, however far the list is scrolled.
  if (at >= 0 && (at < from || at >= to)) indices.push(at);
  const stop = at >= 0 ? at : from;

  return (
    <div
      class="list"
      ref={box}
      onScroll={(event) => {
        const { scrollTop, clientHeight } = event.currentTarget;
        // Rows outside of the view are rendered ahead, so not every scroll has to render.
        if (Math.abs(scrollTop - view.top) >= stride * rowHeight || scrollTop === 0) {
          setView({ top: scrollTop, height: clientHeight });
        }
        onTop(scrollTop < rowHeight / 2);
      }}
    >
      <div
        role="feed"
        aria-label="Reports, newest first"
        aria-busy={feed.loading}
        class="rows"
        style={{ height: `${feed.count * rowHeight}px` }}
      >
        {indices.map((index) => {
          const row = rowAt(feed.pages, index)?.row;
          const top = index * rowHeight;
          if (!row) return <RowGap key={index} top={top} />;
          return (
            <Row
              key={row.id}
              row={row}
              index={index}
              top={top}
              open={row.id === open}
              selected={selection.has(row.id)}
              selecting={selection.ids.size > 0}
              tabIndex={index === stop ? 0 : -1}
              onOpen={(event) => {
                if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
                event.preventDefault();
                openReport(row.id);
              }}
              onSelect={(extend) => selection.toggle(row.id, extend)}
            />
          );
        })}
      </div>
      <End feed={feed} />
    </div>
  );
}

/** The end of the list: loading, the end of the search, or nothing more. */
function End({ feed }: { feed: Feed }) {
  if (feed.lookedBackTo !== undefined && feed.more) {
    return (
      <div class="end-of-list">
        <p>Looked back to {dayAndClock(feed.lookedBackTo)}. Narrow the range to find older ones faster.</p>
        <button type="button" class="btn" onClick={feed.loadNext}>
          Look further back
        </button>
      </div>
    );
  }
  if (feed.more || feed.count === 0) return null;
  return (
    <p class="end-of-list dim" title={whole(feed.count)}>
      {plural(feed.count, "report")} in this time.
    </p>
  );
}
