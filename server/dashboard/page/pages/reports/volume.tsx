import { compact, plural, whole } from "../../core/format.ts";
import { useLoad } from "../../core/load.ts";
import { bucketWords, countedMilliseconds } from "../../parts/chart/axis.ts";
import { Bars, CountTable } from "../../parts/chart/bars.tsx";
import { graveSeries, levelSeries } from "../../parts/chart/levels.ts";
import { totalsOf } from "../../parts/chart/stacks.ts";
import { Failed } from "../../parts/states.tsx";
import { readVolume } from "./calls.ts";
import { type Range, rangeQuery, rangeWords } from "./range.ts";
import type { Volume as Counted } from "./types.ts";

/** How many came when, whatever the filter. */
export function Volume({
  projectId,
  range,
  onRange,
}: {
  projectId: string;
  range: Range;
  onRange: (since: string, until: string) => void;
}) {
  const loaded = useLoad(JSON.stringify([projectId, range]), () => readVolume(projectId, rangeQuery(range)), {
    kinds: ["report"],
    about: (fact) => fact.in === projectId,
    late: countedMilliseconds,
  });
  const { data, failed } = loaded;
  if (!data && failed) return <Failed failed={failed} onRetry={loaded.reload} />;
  const countOf = (...levels: string[]) =>
    data?.levels
      .filter(({ level }) => levels.includes(level))
      .reduce((sum, { counts }) => sum + counts.reduce((one, other) => one + other, 0), 0);
  return (
    <section class="volume" aria-label="Volume">
      <dl>
        <Count name="Stored" count={data?.total} />
        <Count tone="e" name="Fatal" count={countOf("fatal")} />
        <Count tone="r" name="Errors" count={countOf("error")} />
        <Count tone="b" name="Repeats absorbed" count={data?.totalRepeats} />
      </dl>
      {data ? <Chart data={data} range={range} onRange={onRange} /> : <div class="bars" />}
    </section>
  );
}

function Count({ tone, name, count }: { tone?: string; name: string; count: number | undefined }) {
  return (
    <div>
      <dt>
        {tone !== undefined && <span class={`sw ${tone}`} />}
        {name}
      </dt>
      <dd title={count === undefined ? undefined : whole(count)}>
        {count === undefined ? "–" : count < 100_000 ? whole(count) : compact(count)}
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
      <Bars time={data} series={strip} sentence={sentence} onRange={onRange} />
      <div class="sr">
        <CountTable time={data} series={series} caption={sentence} />
      </div>
    </div>
  );
}

function sentenceOf(data: Counted, range: Range): string {
  const totals = totalsOf(
    data.levels.map(({ level, counts }) => ({ name: level, tone: "", counts })),
    data.at.length,
  );
  const peak = totals.indexOf(Math.max(...totals));
  const told = `${plural(data.total, "report")} in ${rangeWords(range)}, ${plural(data.totalRepeats, "repeat")} absorbed.`;
  const at = data.at[peak];
  if (data.total === 0 || at === undefined) return told;
  return `${told} Most at ${bucketWords(at, data.stepSeconds)}: ${whole(totals[peak] ?? 0)}.`;
}
