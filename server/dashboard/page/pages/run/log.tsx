import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RunDetail } from "../../../../agents/show-run.ts";
import { bytes, whole } from "../../core/format.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { Icon } from "../../parts/icon.tsx";
import { isAlive } from "../../parts/run-words.ts";
import { Failed } from "../../parts/states.tsx";
import { useLog } from "./use-log.ts";

const rowHeight = 18;
/** How many rows above and below the visible ones are rendered. */
const overscan = 20;

/** The log of a run. Renders only the visible rows, and follows the end until the reader scrolls up. */
export function Log({ run }: { run: RunDetail }) {
  const { lines, loaded, failed, again } = useLog(run.id);
  const box = useRef<HTMLElement>(null);
  const [top, setTop] = useState(0);
  const [follows, setFollows] = useState(true);
  const count = lines.rows.length;
  const live = isAlive(run.state);

  function toEnd() {
    const element = box.current;
    if (element) element.scrollTop = element.scrollHeight;
  }

  useLayoutEffect(() => {
    if (follows) toEnd();
  }, [count, follows]);

  function scrolled() {
    const element = box.current;
    if (!element) return;
    setTop(element.scrollTop);
    setFollows(element.scrollHeight - element.scrollTop - element.clientHeight < rowHeight * 2);
  }

  const height = box.current?.clientHeight ?? 400;
  const from = Math.max(0, Math.floor(top / rowHeight) - overscan);
  const to = Math.min(count, Math.ceil((top + height) / rowHeight) + overscan);
  return (
    <section class="stacked" aria-label="Log">
      <header class="row">
        <h2>Log</h2>
        {run.log.bytes > 0 && <span class="dim digits">{bytes(run.log.bytes)}</span>}
        <span class="right row">
          {!follows && (
            <button type="button" class="btn" onClick={toEnd}>
              <Icon name="down" small />
              {live ? "Follow" : "To the end"}
            </button>
          )}
          {count > 0 && (
            <>
              <CopyButton text={() => lines.text} label="Copy log" class="btn ghost" target={() => box.current} />
              <a class="btn ghost" href={`/internal/runs/${run.id}/log/text`} download>
                <Icon name="down" small />
                Download
              </a>
            </>
          )}
        </span>
      </header>
      {failed && <Failed failed={failed} onRetry={again} />}
      {run.log.truncated && (
        <p class="dim">The run has written more than is kept of a log: what came beyond is not here.</p>
      )}
      {lines.dropped > 0 && (
        <p class="dim">The first {whole(lines.dropped)} lines are left out here. The download has them.</p>
      )}
      {count === 0 ? (
        loaded && !failed && <p class="dim">{live ? "Nothing was written yet." : "Nothing was written."}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section class="code-block log-box" tabIndex={0} aria-label="Log text" ref={box} onScroll={scrolled}>
          <pre style={{ height: `${count * rowHeight}px`, paddingTop: `${from * rowHeight}px` }}>
            {lines.rows.slice(from, to).map((row, i) => (
              <div key={from + i} dir="auto">
                {row === "" ? "\u00a0" : row}
              </div>
            ))}
          </pre>
        </section>
      )}
    </section>
  );
}
