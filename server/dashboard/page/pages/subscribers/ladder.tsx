import { bothClocks, now } from "../../core/time.ts";
import { type DeliveryDetail, inWords, offsetWords } from "./subscriber.ts";

type Rung = DeliveryDetail["ladder"][number];

const [left, right, height] = [18, 598, 26];

/** Where the delivery stands on its schedule: what failed, what comes next, and when the rest would come. */
export function Ladder({ ladder }: { ladder: readonly Rung[] }) {
  const xOf = (i: number) => left + (i * (right - left)) / Math.max(1, ladder.length - 1);
  const tried = ladder.filter(({ state }) => state === "failed" || state === "accepted").length;
  const next = ladder.find(({ state }) => state === "next");
  const last = ladder.at(-1);
  const words = [
    `${ladder.length} attempts over ${last ? offsetWords(last.offset) : ""}.`,
    `${tried} made.`,
    next?.at ? `The next ${inWords(next.at, now.value)}.` : "",
  ].join(" ");
  return (
    <svg class="ladder" viewBox="0 0 616 66" role="img" aria-label={words}>
      <line class="l" x1={left} y1={height} x2={right} y2={height} />
      {tried > 1 && <line class="p" x1={left} y1={height} x2={xOf(tried - 1)} y2={height} />}
      {ladder.map((rung, i) => (
        <g key={rung.offset}>
          <title>{rung.at === null ? "not planned" : bothClocks(rung.at)}</title>
          <Mark rung={rung} x={xOf(i)} />
        </g>
      ))}
      {ladder.map((rung, i) => (
        <text key={rung.offset} x={xOf(i)} y={54} class={rung.state === "next" ? "on" : undefined}>
          {offsetWords(rung.offset)}
        </text>
      ))}
      {next?.at && (
        <text x={xOf(ladder.indexOf(next))} y={10} class="on">
          {inWords(next.at, now.value)}
        </text>
      )}
    </svg>
  );
}

function Mark({ rung: { state }, x }: { rung: Rung; x: number }) {
  if (state === "next") return <circle class="w" cx={x} cy={height} r={7} />;
  if (state === "planned") return <circle class="f" cx={x} cy={height} r={5} />;
  return <rect class={state === "failed" ? "x" : "v"} x={x - 6} y={height - 6} width={12} height={12} rx={3} />;
}
