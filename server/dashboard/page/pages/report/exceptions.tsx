import { useState } from "preact/hooks";
import { plural } from "../../core/format.ts";
import type { Frame, ReportDetail } from "../reports/types.ts";
import { Folded } from "./folded.tsx";
import { type FrameGroup, framesByOwner, placeOf } from "./frames.ts";

/** The chain of errors, the outermost first. Frames of the app are open, frames of libraries are folded. */
export function Exceptions({ exceptions }: Pick<ReportDetail, "exceptions">) {
  if (exceptions.length === 0) return null;
  return (
    <section class="section">
      <h3>Exception</h3>
      {exceptions.map(({ type, message, frames, framesLeftOut, text }, i) => (
        <div class="section" key={i}>
          {(type !== null || message !== null) && (
            <div class="folded">
              {i > 0 && <span class="dim">caused by </span>}
              <b class="mono" dir="auto">
                {type ?? "Error"}
              </b>
              {message !== null && <Folded text={message} />}
            </div>
          )}
          {frames.length > 0 && <Frames frames={frames} left={framesLeftOut} />}
          {text !== null && (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
            <pre class="code-block stack-text" tabIndex={0} dir="auto">
              {text}
            </pre>
          )}
        </div>
      ))}
    </section>
  );
}

function Frames({ frames, left }: { frames: readonly Frame[]; left: number }) {
  return (
    <ol class="frames">
      {framesByOwner(frames).map((group, i) => (
        <Group key={i} group={group} />
      ))}
      {left > 0 && <li class="library">{plural(left, "more frame")} in the envelope</li>}
    </ol>
  );
}

function Group({ group: { app, frames } }: { group: FrameGroup }) {
  const [open, setOpen] = useState(app);
  if (!open) {
    return (
      <li class="library">
        <button type="button" aria-expanded={false} onClick={() => setOpen(true)}>
          {plural(frames.length, "library frame")}
          <span class="right">show</span>
        </button>
      </li>
    );
  }
  return (
    <>
      {frames.map((frame, i) => (
        <FrameRows key={i} frame={frame} />
      ))}
    </>
  );
}

function FrameRows({ frame }: { frame: Frame }) {
  const place = placeOf(frame);
  return (
    <>
      <li class={frame.app ? undefined : "library"}>
        <span class="function" dir="auto">
          {frame.function ?? "(anonymous)"}
        </span>
        {place !== "" && (
          <span class="place" title={place}>
            <bdi>{place}</bdi>
          </span>
        )}
      </li>
      {frame.source && (
        <li class="source">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <pre tabIndex={0}>
            {frame.source.map(({ line, text, hit }) => (
              <span key={line} class={hit ? "fault" : undefined}>
                <i>{line}</i>
                {text === "" ? " " : text}
              </span>
            ))}
          </pre>
        </li>
      )}
    </>
  );
}
