import { plural, whole } from "../../core/format.ts";
import { span as spanOf } from "../../core/time.ts";
import { Bars, CountTable } from "../../parts/chart/bars.tsx";
import { Figure } from "../../parts/chart/figure.tsx";
import type { Series } from "../../parts/chart/stacks.ts";
import { listAddress } from "../report/place.ts";
import { type Part, percent, spanWords } from "./part.ts";
import { short } from "./reports.tsx";

/** The deliveries to subscribers: delivered, failed and waiting, and the time until the first attempt. */
export function Deliveries({ data, projectId, span }: Part) {
  const { delivered, dead, totals, attempts, firstPostP95Ms } = data.deliveries;
  const series: Series[] = [
    { name: "dead", tone: "err", counts: dead },
    { name: "delivered", tone: "ok", counts: delivered },
  ];
  const all = attempts.accepted + attempts.failed;
  const success = all === 0 ? null : attempts.accepted / all;
  const waiting = `${totals.waitingAtLeast ? "≥ " : ""}${whole(totals.waiting)}`;
  const sentence = `${plural(totals.delivered, "delivery", "deliveries")} arrived in ${spanWords(span)}, ${whole(totals.dead)} were given up, ${waiting} wait.`;
  return (
    <Figure
      title="Deliveries"
      facts={[
        { name: "Success", value: percent(success), title: `${whole(attempts.accepted)} of ${plural(all, "attempt")}` },
        { name: "Delivered", tone: "ok", value: short(totals.delivered), title: whole(totals.delivered) },
        { name: "Dead", tone: "err", value: short(totals.dead), title: whole(totals.dead) },
        { name: "Waiting", value: waiting },
        {
          name: "First POST, p95",
          value: firstPostP95Ms === null ? "–" : spanOf(firstPostP95Ms),
          title: "From the 200 to the first POST, for 95 of 100",
        },
      ]}
      to={{ href: listAddress(projectId, { q: "is:undelivered", range: span }), label: "Show undelivered" }}
      chart={<Bars time={data} series={series} sentence={sentence} />}
      table={<CountTable time={data} series={series} caption={sentence} />}
    />
  );
}
