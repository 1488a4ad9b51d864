import { Figure } from "../../parts/chart/figure.tsx";
import { Shares } from "../../parts/chart/shares.tsx";
import { type Part, spanWords } from "./part.ts";

const tones: Record<string, string> = { succeeded: "o", failed: "e", expired: "e", waiting: "w", cancelled: "g" };

/** Agent runs that were queued, by the state that they are in. */
export function Runs({ data: { runs }, span }: Part) {
  return (
    <Figure
      title="Agent runs"
      to={{ href: "/runs", label: "Show runs" }}
      chart={
        <Shares
          none={`No run was queued in ${spanWords(span)}.`}
          shares={runs.map(({ state, count }) => ({ key: state, name: state, count, tone: tones[state] ?? "v" }))}
        />
      }
    />
  );
}
