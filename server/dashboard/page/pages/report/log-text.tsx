import { useRef, useState } from "preact/hooks";
import { bytes, plural } from "../../core/format.ts";
import { useLoad } from "../../core/load.ts";
import { Shown } from "../../parts/states.tsx";
import type { Attachment } from "../reports/types.ts";
import { readText } from "./calls.ts";
import { pieces } from "./found.ts";

/** The beginning of a text file, with a search. */
export function LogText({ attachment }: { attachment: Attachment }) {
  const loaded = useLoad(attachment.id, () => readText(attachment));
  const [wanted, setWanted] = useState("");
  const [at, setAt] = useState(0);
  const box = useRef<HTMLPreElement>(null);
  return (
    <Shown loaded={loaded} rows={4} rowHeight={18}>
      {({ text, cut, size }) => {
        const { parts, count } = pieces(text, wanted);
        const go = (to: number) => {
          const next = count === 0 ? 0 : (to + count) % count;
          setAt(next);
          requestAnimationFrame(() => box.current?.querySelector("mark.now")?.scrollIntoView({ block: "nearest" }));
        };
        let number = -1;
        return (
          <div class="stacked">
            <div class="row">
              <label class="field grow">
                <span class="sr-only">Search this text</span>
                <input
                  type="search"
                  placeholder="Search"
                  value={wanted}
                  onInput={(event) => {
                    setWanted(event.currentTarget.value);
                    go(0);
                  }}
                  onKeyDown={(event) => {
                    if (event.key !== "Enter") return;
                    event.preventDefault();
                    go(at + (event.shiftKey ? -1 : 1));
                  }}
                />
              </label>
              {wanted !== "" && (
                <span class="dim nowrap" role="status">
                  {count === 0 ? "not found" : `${at + 1} of ${count}`}
                </span>
              )}
            </div>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
            <pre class="code-block log" tabIndex={0} ref={box} dir="auto">
              {parts.map((part, i) => {
                if (!part.found) return part.text;
                number++;
                return (
                  <mark key={i} class={number === at ? "now" : undefined}>
                    {part.text}
                  </mark>
                );
              })}
            </pre>
            {cut && (
              <p class="dim small">
                The first 64 kB of {bytes(size)}; {plural(text.split("\n").length, "line")}. Download it for the rest.
              </p>
            )}
          </div>
        );
      }}
    </Shown>
  );
}
