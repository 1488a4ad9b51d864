import { Figure } from "../../parts/chart/figure.tsx";
import { Shares } from "../../parts/chart/shares.tsx";
import type { Tone } from "../../parts/chart/stacks.ts";
import { type Part, spanWords } from "./part.ts";

const tones: Record<string, Tone> = {
  succeeded: "ok",
  failed: "err",
  expired: "err",
  waiting: "warn",
  cancelled: "grey",
};

/** Agent runs that were queued, by the state that they are in. */
export function Runs({ data: { runs }, span }: Part) {
  return (
    <Figure
      title="Agent runs"
      to={{ href: "/runs", label: "Show runs" }}
      chart={
        <Shares
          none={`No run was queued in ${spanWords(span)}.`}
          shares={runs.map(({ state, count }) => ({ key: state, name: state, count, tone: tones[state] ?? "agent" }))}
        />
      }
    />
  );
}
