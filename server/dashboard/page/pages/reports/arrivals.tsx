import { useRef, useState } from "preact/hooks";
import { plural } from "../../core/format.ts";
import { live, useChanges } from "../../core/live.ts";
import { speak } from "../../core/say.ts";
import { now } from "../../core/time.ts";

const minute = 60_000;
const spokenEvery = 10_000;
/** Arrivals are counted up to this number. */
const countedMax = 1_000;

/** Says that the list is live, and how many reports arrived lately. */
export function Arrivals({ projectId }: { projectId: string }) {
  const [came, setCame] = useState<readonly number[]>([]);
  const spoken = useRef({ at: 0, count: 0 });
  useChanges(["report"], (changes) => {
    if (changes === "resync") return;
    const count = changes.filter((change) => change.in === projectId).length;
    if (count === 0) return;
    const at = Date.now();
    setCame((before) => [...before, ...Array<number>(count).fill(at)].slice(-countedMax));
    spoken.current.count += count;
    // Screen readers announce several arrivals together, and not often.
    if (at - spoken.current.at < spokenEvery) return;
    speak(`${plural(spoken.current.count, "new report")}`);
    spoken.current = { at, count: 0 };
  });
  if (live.value.state !== "live") return null;
  const lately = came.filter((at) => now.value - at < minute).length;
  return (
    <span class="row dim hide-narrow">
      <span class="text-ok row">
        <span class="dot live" />
      </span>
      Live{lately > 0 && `, ${lately >= countedMax ? "1000+" : lately} new in the last minute`}
    </span>
  );
}
