import { useRef, useState } from "preact/hooks";
import { whole } from "../../core/format.ts";
import { bucketWords, labelsOf } from "./axis.ts";
import { draw, height, type Series, totalsOf, width } from "./stacks.ts";

interface Timeline {
  at: readonly string[];
  stepSeconds: number;
  until: string;
}

/**
 * Counts over time as stacked bars. Screen readers get one sentence; the table beside the chart has the numbers.
 * Pulling over the chart chooses a range.
 */
export function Bars({
  time: { at, stepSeconds, until },
  series,
  sentence,
  countedBackTo,
  onRange,
}: {
  time: Timeline;
  series: readonly Series[];
  /** What the chart shows, and its highest value. */
  sentence: string;
  /** Nothing was counted before this time. */
  countedBackTo?: string | undefined;
  onRange?: ((since: string, until: string) => void) | undefined;
}) {
  const box = useRef<SVGSVGElement>(null);
  const [pulled, setPulled] = useState<{ from: number; to: number }>();
  const [pointed, setOver] = useState<number>();
  // Another range may have fewer bars than the index of the bar that was pointed at.
  const over = pointed !== undefined && pointed < at.length ? pointed : undefined;
  const { paths } = draw(series, at.length);
  const step = width / Math.max(1, at.length);

  function bucketAt(event: PointerEvent): number {
    const { left, width } = (event.currentTarget as Element).getBoundingClientRect();
    return Math.max(0, Math.min(at.length - 1, Math.floor(((event.clientX - left) / width) * at.length)));
  }

  function moved(event: PointerEvent) {
    const bucket = bucketAt(event);
    setOver(event.pointerType === "touch" && !pulled ? undefined : bucket);
    if (pulled) setPulled({ from: pulled.from, to: bucket });
  }

  function chosen() {
    if (!pulled) return;
    setPulled(undefined);
    const [first, last] = [Math.min(pulled.from, pulled.to), Math.max(pulled.from, pulled.to)];
    const [since, end] = [at[first], at[last]];
    if (since === undefined || end === undefined) return;
    onRange?.(since, new Date(Math.min(Date.parse(end) + stepSeconds * 1_000, Date.parse(until))).toISOString());
  }

  const begins = Date.parse(at[0] ?? "");
  const ends = begins + at.length * stepSeconds * 1_000;
  const unknown = countedBackTo === undefined ? 0 : (Date.parse(countedBackTo) - begins) / (ends - begins);
  const mark = pulled && { from: Math.min(pulled.from, pulled.to), to: Math.max(pulled.from, pulled.to) + 1 };
  return (
    <div class="bars">
      {over !== undefined && <Tip at={at} stepSeconds={stepSeconds} series={series} bucket={over} />}
      <svg
        ref={box}
        class={`chart${onRange ? " pulls" : ""}`}
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={sentence}
        onPointerMove={moved}
        onPointerLeave={() => setOver(undefined)}
        onPointerDown={(event) => {
          if (!onRange || event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          const bucket = bucketAt(event);
          setPulled({ from: bucket, to: bucket });
        }}
        onPointerUp={chosen}
        onPointerCancel={() => setPulled(undefined)}
      >
        {unknown > 0 && <rect class="unknown" x={0} width={Math.min(1, unknown) * width} y={0} height={height} />}
        {mark && <rect class="mark" x={mark.from * step} width={(mark.to - mark.from) * step} y={0} height={height} />}
        {over !== undefined && !mark && <rect class="over" x={over * step} width={step} y={0} height={height} />}
        {paths.map(({ name, tone, d }) => (
          <path key={name} class={tone} d={d} />
        ))}
      </svg>
      {paths.every(({ d }) => d === "") && (
        <p class="none-yet dim" aria-hidden="true">
          None in this time
        </p>
      )}
      <div class="axis" aria-hidden="true">
        {labelsOf(at, stepSeconds, until).map((label, i) => (
          <span key={`${i} ${label}`}>{label}</span>
        ))}
      </div>
    </div>
  );
}

function Tip({
  at,
  stepSeconds,
  series,
  bucket,
}: {
  at: readonly string[];
  stepSeconds: number;
  series: readonly Series[];
  bucket: number;
}) {
  const place = (bucket + 0.5) / at.length;
  const some = series.filter(({ counts }) => (counts[bucket] ?? 0) > 0);
  return (
    <div class={`tip${place > 0.5 ? " before" : ""}`} style={{ left: `${place * 100}%` }} aria-hidden="true">
      <b>{bucketWords(at[bucket] ?? "", stepSeconds)}</b>
      {some.length === 0 && <span>none</span>}
      {some.map(({ name, tone, counts }) => (
        <span key={name} class="row gap-5">
          <i class={`swatch ${tone}`} />
          {name}
          <span class="digits right">{whole(counts[bucket] ?? 0)}</span>
        </span>
      ))}
    </div>
  );
}

/** The numbers of the chart as a table, to be read or copied. Rows without any are left out. */
export function CountTable({
  time: { at, stepSeconds },
  series,
  caption,
}: {
  time: Timeline;
  series: readonly Series[];
  caption: string;
}) {
  const totals = totalsOf(series, at.length);
  const rows = at.map((moment, i) => ({ moment, i })).filter(({ i }) => (totals[i] ?? 0) > 0);
  return (
    <table class="table counts">
      <caption class="sr-only">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          {series.map(({ name }) => (
            <th scope="col" class="align-right" key={name}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ moment, i }) => (
          <tr key={moment}>
            <th scope="row">{bucketWords(moment, stepSeconds)}</th>
            {series.map(({ name, counts }) => (
              <td class="align-right digits" key={name}>
                {whole(counts[i] ?? 0)}
              </td>
            ))}
          </tr>
        ))}
        {rows.length === 0 && (
          <tr>
            <td colSpan={series.length + 1} class="dim">
              None in this time.
            </td>
          </tr>
        )}
      </tbody>
    </table>
  );
}
