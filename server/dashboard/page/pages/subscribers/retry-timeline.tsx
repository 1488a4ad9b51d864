import { bothClocks, now } from "../../core/time.ts";
import { type DeliveryDetail, inWords, offsetWords } from "./subscriber.ts";

type Step = DeliveryDetail["retryTimeline"][number];

const [left, right, height] = [18, 598, 26];

/** The retry schedule of a delivery: failed attempts, the next one, and when the rest would follow. */
export function RetryTimeline({ steps }: { steps: readonly Step[] }) {
  const xOf = (i: number) => left + (i * (right - left)) / Math.max(1, steps.length - 1);
  const tried = steps.filter(({ state }) => state === "failed" || state === "accepted").length;
  const next = steps.find(({ state }) => state === "next");
  const last = steps.at(-1);
  const words = [
    `${steps.length} attempts over ${last ? offsetWords(last.offset) : ""}.`,
    `${tried} made.`,
    next?.at ? `The next ${inWords(next.at, now.value)}.` : "",
  ].join(" ");
  return (
    <svg class="retry-timeline" viewBox="0 0 616 66" role="img" aria-label={words}>
      <line x1={left} y1={height} x2={right} y2={height} />
      {tried > 1 && <line class="made" x1={left} y1={height} x2={xOf(tried - 1)} y2={height} />}
      {steps.map((step, i) => (
        <g key={step.offset}>
          <title>{step.at === null ? "not planned" : bothClocks(step.at)}</title>
          <Mark step={step} x={xOf(i)} />
        </g>
      ))}
      {steps.map((step, i) => (
        <text key={step.offset} x={xOf(i)} y={54} class={step.state === "next" ? "due" : undefined}>
          {offsetWords(step.offset)}
        </text>
      ))}
      {next?.at && (
        <text x={xOf(steps.indexOf(next))} y={10} class="due">
          {inWords(next.at, now.value)}
        </text>
      )}
    </svg>
  );
}

function Mark({ step: { state }, x }: { step: Step; x: number }) {
  if (state === "next") return <circle class="next" cx={x} cy={height} r={7} />;
  if (state === "planned") return <circle class="planned" cx={x} cy={height} r={5} />;
  return <rect class={state} x={x - 6} y={height - 6} width={12} height={12} rx={3} />;
}
