import { isAdmin } from "../../core/boot.ts";
import { plural } from "../../core/format.ts";
import { now, span } from "../../core/time.ts";
import { AttemptDots } from "../../parts/attempt-dots.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Ago } from "../../parts/time.tsx";
import type { ReportDetail } from "../reports/types.ts";
import { wordsOf } from "./delivery-words.ts";

type Delivery = ReportDetail["deliveries"][number];

/** The deliveries of a report in its summary, one line each. */
export function DeliveryList({ report, onAll }: { report: ReportDetail; onAll: () => void }) {
  const { deliveries } = report;
  const shown = deliveries.slice(0, 5);
  return (
    <section class="section">
      <h3>
        Delivered to <span class="dim plain">{headOf(deliveries)}</span>
      </h3>
      <ol class="sent shrinkable">
        {shown.map((delivery) => (
          <li key={delivery.id}>
            <StateIcon delivery={delivery} />
            <Name delivery={delivery} />
            <span class="dim ellipsis">{wordsOf(delivery, now.value)}</span>
            <span class="right">
              <DeliveryPips delivery={delivery} />
            </span>
          </li>
        ))}
      </ol>
      {shown.length < deliveries.length && (
        <button type="button" class="link" onClick={onAll}>
          Show all {deliveries.length}
        </button>
      )}
    </section>
  );
}

function headOf(deliveries: readonly Delivery[]): string {
  const done = deliveries.filter(({ state }) => state === "delivered").length;
  const first = Math.min(...deliveries.map(({ firstPostMs }) => firstPostMs ?? Number.POSITIVE_INFINITY));
  return `${done} of ${deliveries.length}${Number.isFinite(first) ? `, first POST ${span(first)} after the 200` : ""}`;
}

/** All deliveries of a report; admins also see every attempt. */
export function Deliveries({ report: { deliveries } }: { report: ReportDetail }) {
  if (deliveries.length === 0) {
    return (
      <p class="dim">
        No subscriber wanted this report when it came.{" "}
        {isAdmin.value && <a href="/subscribers">Add a subscriber, or replay what came since a time</a>}
      </p>
    );
  }
  return (
    <table class="table">
      <thead>
        <tr>
          <th scope="col">Subscriber</th>
          <th scope="col">State</th>
          <th scope="col">Attempts</th>
          <th scope="col" class="hide-narrow">
            First POST
          </th>
        </tr>
      </thead>
      <tbody>
        {deliveries.map((delivery) => (
          <tr key={delivery.id}>
            <td>
              <span class="two-lines">
                <Name delivery={delivery} />
                {delivery.subscriberState !== "active" && <small class="text-warn">{delivery.subscriberState}</small>}
              </span>
            </td>
            <td>
              <span class="row">
                <StateIcon delivery={delivery} />
                <span class="two-lines">
                  <span>{stateNames[delivery.state]}</span>
                  <small>{wordsOf(delivery, now.value)}</small>
                </span>
              </span>
            </td>
            <td>
              <span class="two-lines">
                <DeliveryPips delivery={delivery} />
                <small>{plural(delivery.attempts, "attempt")}</small>
              </span>
            </td>
            <td class="hide-narrow digits">
              {delivery.firstPostMs === null ? (
                <span class="dim">not yet</span>
              ) : (
                `${span(delivery.firstPostMs)} after the 200`
              )}
              {delivery.tries?.[0] && (
                <span class="dim">
                  {" · "}
                  <Ago at={delivery.tries[0].at} />
                </span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const stateNames = { waiting: "Waiting", leased: "Being sent", delivered: "Delivered", dead: "Dead" } as const;

function StateIcon({ delivery: { state } }: { delivery: Delivery }) {
  if (state === "delivered") return <Icon name="check" small tone="ok" />;
  return state === "dead" ? <Icon name="x" small tone="err" /> : <Icon name="clock" small tone="warn" />;
}

/** The name of the subscriber. Members do not see its address. */
function Name({ delivery: { id, subscriberId, name, url } }: { delivery: Delivery }) {
  return isAdmin.value ? (
    <a class="ellipsis" href={`/subscribers/${subscriberId}/deliveries/${id}`} title={url ?? name} dir="auto">
      {name}
    </a>
  ) : (
    <b class="ellipsis plain" dir="auto" title={name}>
      {name}
    </b>
  );
}

function DeliveryPips({ delivery: { state, attempts } }: { delivery: Delivery }) {
  const delivered = state === "delivered";
  return (
    <AttemptDots
      failed={attempts - (delivered ? 1 : 0)}
      delivered={delivered}
      next={state === "waiting" || state === "leased"}
    />
  );
}
