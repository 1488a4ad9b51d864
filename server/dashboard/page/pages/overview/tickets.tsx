import { isAdmin } from "../../core/boot.ts";
import { plural, whole } from "../../core/format.ts";
import { Bars } from "../../parts/chart/bars.tsx";
import { Figure } from "../../parts/chart/figure.tsx";
import type { Series, Tone } from "../../parts/chart/stacks.ts";
import type { Overview } from "../reports/types.ts";
import { type Part, spanWords } from "./part.ts";
import { short } from "./reports.tsx";

/** The most active tokens have a colour each; all others share one. */
const tones: readonly Tone[] = ["accent", "info", "agent", "warn"];

/** The chart of tickets by the token that created them, with the replays and mismatches of its keys. */
export function Tickets({ data, span }: Part) {
  const { tickets, totals } = data;
  const series = seriesOf(data);
  const sentence = `${plural(totals.tickets, "ticket")} created in ${spanWords(span)}, ${plural(totals.replays, "replay")}, ${plural(totals.mismatches, "mismatch", "mismatches")}.`;
  return (
    <Figure
      title="Tickets by token"
      facts={[
        { name: "Created", value: short(totals.tickets), title: whole(totals.tickets) },
        {
          name: "Replays",
          value: short(totals.replays),
          title: "Requests that were answered with the ticket there was",
        },
        { name: "Mismatches", value: short(totals.mismatches), title: "Keys that were used again with another body" },
      ]}
      chart={
        <>
          <Bars time={data} series={series} sentence={sentence} />
          <ul class="legend" aria-hidden="true">
            {series.map(({ name, tone }) => (
              <li key={name}>
                <span class={`swatch ${tone}`} />
                <span class="ellipsis" dir="auto">
                  {name}
                </span>
              </li>
            ))}
          </ul>
        </>
      }
      table={
        <table class="table counts">
          <caption class="sr-only">{sentence}</caption>
          <thead>
            <tr>
              <th scope="col">Token</th>
              <th scope="col" class="align-right">
                Created
              </th>
              <th scope="col" class="align-right">
                Replays
              </th>
              <th scope="col" class="align-right">
                Mismatches
              </th>
            </tr>
          </thead>
          <tbody>
            {tickets.map(({ token, created, replays, mismatches }) => (
              <tr key={token?.id ?? ""} class={token?.revoked ? "inactive" : undefined}>
                <th scope="row" class="ellipsis name" dir="auto">
                  {token && isAdmin.value ? <a href={`/settings/tokens/${token.id}`}>{token.name}</a> : nameOf(token)}
                </th>
                <td class="align-right digits">{whole(created)}</td>
                <td class="align-right digits">{whole(replays)}</td>
                <td class={`align-right digits${mismatches > 0 ? " text-warn" : ""}`}>{whole(mismatches)}</td>
              </tr>
            ))}
            {tickets.length === 0 && (
              <tr>
                <td colSpan={4} class="dim">
                  No token created a ticket in {spanWords(span)}.
                </td>
              </tr>
            )}
          </tbody>
        </table>
      }
    />
  );
}

function nameOf(token: Overview["tickets"][number]["token"]): string {
  return token?.name ?? "all others";
}

function seriesOf({ tickets, at }: Overview): Series[] {
  const first = tickets.filter(({ token }) => token !== null).slice(0, tones.length);
  const rest = tickets.filter((one) => !first.includes(one));
  const series = first.map(({ token, counts }, i) => ({ name: nameOf(token), tone: tones[i] ?? "grey", counts }));
  if (rest.length === 0) return series;
  const counts = at.map((_, i) => rest.reduce((all, one) => all + (one.counts[i] ?? 0), 0));
  return [...series, { name: "all others", tone: "grey", counts }];
}
