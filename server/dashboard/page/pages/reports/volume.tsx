import { useRef } from "preact/hooks";
import { compact, plural, whole } from "../../core/format.ts";
import { useLoad } from "../../core/load.ts";
import { bucketWords, countedMilliseconds } from "../../parts/chart/axis.ts";
import { Bars, CountTable } from "../../parts/chart/bars.tsx";
import { graveSeries, levelSeries } from "../../parts/chart/levels.ts";
import { type Tone, totalsOf } from "../../parts/chart/stacks.ts";
import { Failed } from "../../parts/states.tsx";
import { readVolume } from "../report/calls.ts";
import { dayAndClock, type Range, rangeQuery, rangeWords } from "./range.ts";
import type { Volume as Counted } from "./types.ts";

/** Counts by a query are expensive and are loaded less often than the counts that the server keeps. */
const searchedMilliseconds = 5_000;

/** The chart of how many reports that match the query were received when. */
export function Volume({
  projectId,
  query,
  range,
  onRange,
}: {
  projectId: string;
  query: string;
  range: Range;
  onRange: (since: string, until: string) => void;
}) {
  const loaded = useLoad(
    JSON.stringify([projectId, query, range]),
    () => readVolume(projectId, { q: query || undefined, ...rangeQuery(range) }),
    {
      kinds: ["report"],
      about: (change) => change.in === projectId,
      late: query === "" ? countedMilliseconds : searchedMilliseconds,
    },
  );
  // While another query is typed, the earlier counts stay, so that nothing flashes at each key.
  const before = useRef<{ projectId: string; data: Counted }>(undefined);
  if (loaded.data) before.current = { projectId, data: loaded.data };
  const { failed } = loaded;
  const data = before.current?.projectId === projectId ? before.current.data : undefined;
  if (failed && !loaded.data) return <Failed failed={failed} onRetry={loaded.reload} />;
  const countOf = (...levels: string[]) =>
    data?.levels
      .filter(({ level }) => levels.includes(level))
      .reduce((sum, { counts }) => sum + counts.reduce((one, other) => one + other, 0), 0);
  const more = data?.countedBackTo !== undefined;
  return (
    <section class="volume" aria-label="Volume" aria-busy={loaded.data === undefined}>
      <div>
        <dl>
          <Count name={query === "" ? "Stored" : "Found"} count={data?.total} more={more} />
          <Count tone="err" name="Fatal" count={countOf("fatal")} more={more} />
          <Count tone="err-soft" name="Errors" count={countOf("error")} more={more} />
          <Count tone="faint" name="Repeats absorbed" count={data?.totalRepeats} more={more} />
        </dl>
        {data?.countedBackTo !== undefined && (
          <p class="dim uncounted">
            The newest {whole(data.total)}, back to {dayAndClock(data.countedBackTo)}. Older ones are not counted.
          </p>
        )}
      </div>
      {query !== "" && loaded.data && (
        <p class="sr-only" role="status">
          {more && "More than "}
          {plural(loaded.data.total, "report")} found
        </p>
      )}
      {data ? <Chart data={data} range={range} onRange={onRange} /> : <div class="bars" />}
    </section>
  );
}

function Count({
  tone,
  name,
  count,
  more,
}: {
  tone?: Tone;
  name: string;
  count: number | undefined;
  /** Whether there may be more reports than were counted. */
  more: boolean;
}) {
  return (
    <div>
      <dt>
        {tone !== undefined && <span class={`swatch ${tone}`} />}
        {name}
      </dt>
      <dd title={count === undefined ? undefined : whole(count)}>
        {count === undefined ? "–" : count < 100_000 ? whole(count) : compact(count)}
        {more && "+"}
      </dd>
    </div>
  );
}

function Chart({
  data,
  range,
  onRange,
}: {
  data: Counted;
  range: Range;
  onRange: (since: string, until: string) => void;
}) {
  const series = levelSeries(data.levels, data.repeats);
  const strip = graveSeries(series, data.at.length);
  const sentence = sentenceOf(data, range);
  return (
    <div>
      <Bars time={data} series={strip} sentence={sentence} countedBackTo={data.countedBackTo} onRange={onRange} />
      <div class="sr-only">
        <CountTable time={data} series={series} caption={sentence} />
      </div>
    </div>
  );
}

function sentenceOf(data: Counted, range: Range): string {
  const totals = totalsOf(
    data.levels.map(({ level, counts }) => ({ name: level, tone: "accent", counts })),
    data.at.length,
  );
  const peak = totals.indexOf(Math.max(...totals));
  const counted = `${plural(data.total, "report")} in ${rangeWords(range)}, ${plural(data.totalRepeats, "repeat")} absorbed.`;
  const sentence = data.countedBackTo === undefined ? counted : `More than ${counted}`;
  const at = data.at[peak];
  if (data.total === 0 || at === undefined) return sentence;
  return `${sentence} Most at ${bucketWords(at, data.stepSeconds)}: ${whole(totals[peak] ?? 0)}.`;
}
