import { whole } from "../../core/format.ts";
import { Figure } from "../../parts/chart/figure.tsx";
import { Shares } from "../../parts/chart/shares.tsx";
import { type Part, spanWords } from "./part.ts";
import { short } from "./reports.tsx";

/** The requests that were refused, by error code. */
export function Refusals({ data: { refused, totals }, span }: Part) {
  return (
    <Figure
      title="Refused"
      facts={[{ name: "Requests", value: short(totals.refused), title: whole(totals.refused) }]}
      chart={
        <Shares
          none={`Nothing was refused in ${spanWords(span)}.`}
          shares={refused.map(({ api, code, count, scope }) => ({
            key: `${api} ${code} ${scope}`,
            name: <code>{code}</code>,
            count,
            tone: "err",
            note: `${api === "ingest" ? "reports" : "tickets"}${scope === "installation" ? ", all projects" : ""}`,
          }))}
        />
      }
    />
  );
}
