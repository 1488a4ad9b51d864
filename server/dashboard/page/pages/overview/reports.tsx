import { compact, plural, whole } from "../../core/format.ts";
import { go } from "../../core/router.ts";
import { bucketWords } from "../../parts/chart/axis.ts";
import { Bars, CountTable } from "../../parts/chart/bars.tsx";
import { Figure } from "../../parts/chart/figure.tsx";
import { levelSeries } from "../../parts/chart/levels.ts";
import { type Series, totalsOf } from "../../parts/chart/stacks.ts";
import { listAddress } from "../report/place.ts";
import { type Part, percent, spanWords } from "./part.ts";

/**
 * The chart of reports by level. A level links to its reports; pulling over the chart links to the reports of that
 * time.
 */
export function Reports({ data, projectId, span }: Part) {
  const series = levelSeries(data.reports, []).slice(0, -1);
  const sentence = `${plural(data.totals.reports, "report")} in ${spanWords(span)}.${peakWords(data, series)}`;
  return (
    <Figure
      title="Reports by level"
      wide
      facts={[
        { name: "Stored", value: short(data.totals.reports), title: whole(data.totals.reports) },
        ...data.reports.map(({ level, counts }, i) => ({
          name: level === "none" ? "no level" : level,
          tone: series[i]?.tone ?? "accent",
          value:
            level === "none" ? (
              short(sum(counts))
            ) : (
              <a href={listAddress(projectId, { q: `level:${level}`, range: span })}>{short(sum(counts))}</a>
            ),
          title: whole(sum(counts)),
        })),
      ]}
      to={{ href: listAddress(projectId, { range: span }), label: "Show reports" }}
      chart={
        <Bars
          time={data}
          series={series}
          sentence={sentence}
          onRange={(since, until) => go(listAddress(projectId, { since, until }))}
        />
      }
      table={<CountTable time={data} series={series} caption={sentence} />}
    />
  );
}

/** The number of repeats, which are neither stored nor delivered again. */
export function Repeats({ data, projectId, span }: Part) {
  const series: Series[] = [{ name: "repeats", tone: "accent", counts: data.repeats }];
  const { repeats, repeatShare } = data.totals;
  const sentence = `${plural(repeats, "repeat")} absorbed in ${spanWords(span)}, ${percent(repeatShare)} of what was received.`;
  return (
    <Figure
      title="Repeats absorbed"
      facts={[
        { name: "Repeats", value: short(repeats), title: whole(repeats) },
        { name: "Of what was received", value: percent(repeatShare) },
      ]}
      to={{ href: listAddress(projectId, { q: "is:repeated", range: span }), label: "Show repeated" }}
      chart={<Bars time={data} series={series} sentence={sentence} />}
      table={<CountTable time={data} series={series} caption={sentence} />}
    />
  );
}

function peakWords({ at, stepSeconds }: Part["data"], series: readonly Series[]): string {
  const totals = totalsOf(series, at.length);
  const max = Math.max(0, ...totals);
  const moment = at[totals.indexOf(max)];
  return max === 0 || moment === undefined ? "" : ` Most at ${bucketWords(moment, stepSeconds)}: ${whole(max)}.`;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((one, other) => one + other, 0);
}

export function short(count: number): string {
  return count < 100_000 ? whole(count) : compact(count);
}
