import { plural, whole } from "../../core/format.ts";
import { exact } from "../../core/time.ts";
import { Ago } from "../../parts/time.tsx";
import type { ReportDetail } from "../reports/types.ts";

/**
 * The repeats of a report: when each came, with which key, and which files it lacked. The report is stored only once.
 */
export function Repeats({ report: { repeats, receipt } }: { report: ReportDetail }) {
  const count = receipt.received - 1;
  if (count === 0) {
    return (
      <p class="dim">It was received once. A repeat would be counted here, and neither stored nor sent on again.</p>
    );
  }
  return (
    <>
      <p>
        Received {whole(receipt.received)} times, stored once, sent on once.
        {repeats.length < count && ` The last ${whole(repeats.length)} repeats:`}
      </p>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Received</th>
            <th scope="col">SDK key</th>
            <th scope="col">What it lacked</th>
          </tr>
        </thead>
        <tbody>
          {repeats.map(({ at, key, lacked }, i) => (
            <tr key={i}>
              <td>
                <span class="two-lines">
                  <span class="mono nowrap">{exact(at)}</span>
                  <small>
                    <Ago at={at} />
                  </small>
                </span>
              </td>
              <td dir="auto">{key ?? "key deleted"}</td>
              <td dir="auto">
                {lacked.length === 0 ? (
                  <span class="dim">nothing</span>
                ) : (
                  <>
                    {plural(lacked.length, "file")}: {lacked.join(", ")}
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
