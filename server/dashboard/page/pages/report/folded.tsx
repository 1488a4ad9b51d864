import { useState } from "preact/hooks";
import { whole } from "../../core/format.ts";

const shownMax = 700;
const linesMax = 12;

/** Text of a sender, unchanged. A long text is folded at first. */
export function Folded({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  const short = beginning(text);
  return (
    <div class="folded">
      <p dir="auto">{open ? text : short}</p>
      {short.length < text.length && (
        <button type="button" class="link" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Show less" : `Show all ${whole(text.length)} characters`}
        </button>
      )}
    </div>
  );
}

function beginning(text: string): string {
  const lines = text.split("\n", linesMax).join("\n");
  if (lines.length <= shownMax) return lines;
  // Does not cut between the two halves of a surrogate pair.
  return lines.slice(0, /[\ud800-\udbff]/.test(lines[shownMax - 1] ?? "") ? shownMax - 1 : shownMax);
}
