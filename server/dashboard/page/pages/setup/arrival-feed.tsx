import type { RecentRequest } from "../../../../live/recent-requests.ts";
import { shortId } from "../../core/format.ts";
import { live } from "../../core/live.ts";
import { bothClocks, exact } from "../../core/time.ts";

/** The newest requests of both APIs. Only admins see the cause of a refusal. */
export function ArrivalFeed({ items }: { items: readonly RecentRequest[] }) {
  const listening = live.value.state === "live";
  return (
    <section class="tile arrivals" aria-label="Arrivals">
      <header>
        <h2>Arrivals</h2>
        <span class={`row ${listening ? "text-ok" : "text-warn"}`} title={listening ? "Live" : "Reconnecting"}>
          <span class={`dot${listening ? " live" : ""}`} />
        </span>
        <span class="dim">every request to the two APIs, and why it was refused</span>
      </header>
      {items.length === 0 ? (
        <p class="dim">Nothing has come in yet.</p>
      ) : (
        <ol class="feed">
          {items.map((item) => (
            <li key={item.id}>
              <time dateTime={item.at} title={bothClocks(item.at)}>
                {exact(item.at).slice(11)}
              </time>
              <span class={item.status < 300 ? "text-ok" : item.status === 429 ? "text-warn" : "text-err"}>
                {item.status}
              </span>
              <span>POST {item.api === "tickets" ? "/api/v1/tickets" : "/api/ingest"}</span>
              <span class="shrinkable">
                <Outcome item={item} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

function Outcome({ item: { api, code, made, cause } }: { item: RecentRequest }) {
  if (made !== undefined) {
    const verb =
      code === "replayed" ? (api === "tickets" ? "replayed" : "repeated") : api === "tickets" ? "created" : "stored";
    const [what, to] = api === "tickets" ? ["card", `/cards/${made}`] : ["report", `/reports/${made}`];
    return (
      <>
        {verb}{" "}
        <a href={to} target="_blank" rel="noreferrer">
          {what} {shortId(made)}
        </a>
      </>
    );
  }
  return (
    <>
      {code}
      {cause !== undefined && `: ${cause}`}
    </>
  );
}
