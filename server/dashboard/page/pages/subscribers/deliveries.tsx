import { shortId } from "../../core/format.ts";
import { useShortcuts } from "../../core/keys.ts";
import { single } from "../../core/narrow.ts";
import { go, place, setQuery } from "../../core/router.ts";
import { useRows } from "../../core/rows.ts";
import { bothClocks, now } from "../../core/time.ts";
import { AttemptDots } from "../../parts/attempt-dots.tsx";
import { Icon } from "../../parts/icon.tsx";
import { MoreRows } from "../../parts/more-rows.tsx";
import { SearchField } from "../../parts/search-field.tsx";
import { Empty, Shown } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { DeliveryPane } from "./delivery.tsx";
import { countWords, type Delivery, inWords, listDeliveries, outcomeWord, type Subscriber } from "./subscriber.ts";

/** The deliveries of a subscriber: the list, and beside it the chosen one. */
export function Deliveries({ subscriber, chosen }: { subscriber: Subscriber; chosen: string | undefined }) {
  const { id, waiting, dead } = subscriber;
  const { query } = place.value;
  const state = query.get("state") ?? "all";
  const text = query.get("text") ?? "";
  const rows = useRows(
    `deliveries ${id} ${state} ${text}`,
    (cursor) =>
      listDeliveries(id, {
        cursor,
        state: state === "all" ? undefined : state,
        text: text === "" ? undefined : text,
      }),
    { kinds: ["delivery"], about: (change) => change.in === id },
  );
  const items = rows.data?.items ?? [];
  const search = query.toString();
  const addressOf = (delivery: string) =>
    `/subscribers/${id}/deliveries/${delivery}${search === "" ? "" : `?${search}`}`;
  const step = (by: number) => {
    const index = items.findIndex((item) => item.id === chosen);
    const next = items[index < 0 ? 0 : index + by];
    if (next) go(addressOf(next.id), { replace: true });
  };
  useShortcuts([
    { keys: "j", does: "Next delivery", run: () => step(1) },
    { keys: "k", does: "Previous delivery", run: () => step(-1) },
    { keys: "ArrowDown", run: () => step(1) },
    { keys: "ArrowUp", run: () => step(-1) },
  ]);
  return (
    <>
      <div class="tools">
        <Tabs
          label="State"
          look="segmented"
          tabs={[
            { name: "all", label: "All" },
            { name: "waiting", label: "Waiting", count: waiting > 0 ? countWords(waiting) : undefined },
            { name: "dead", label: "Dead", count: dead > 0 ? countWords(dead) : undefined },
            { name: "delivered", label: "Delivered" },
          ]}
          chosen={state}
          onChoose={(name) => setQuery({ state: name === "all" ? undefined : name })}
        />
        <span class="hide-narrow contents">
          <SearchField label="Event or delivery id" value={text} onValue={(value) => setQuery({ text: value })} />
        </span>
      </div>
      <div class="delivery-split ruled">
        <div class="list">
          <Shown loaded={rows} rowHeight={53}>
            {() =>
              items.length === 0 ? (
                <Empty>
                  {state === "all" && text === "" ? "Nothing was sent to it yet." : "No delivery is of this kind."}
                </Empty>
              ) : (
                <div role="feed" aria-label="Deliveries" aria-busy={rows.waiting}>
                  {items.map((delivery, i) => (
                    <Row
                      key={delivery.id}
                      delivery={delivery}
                      href={addressOf(delivery.id)}
                      chosen={delivery.id === chosen}
                      place={i + 1}
                      held={subscriber.subscriberStatus !== "active"}
                    />
                  ))}
                </div>
              )
            }
          </Shown>
          <MoreRows more={rows.more} busy={rows.busy} />
        </div>
        {!single.value &&
          (chosen === undefined ? (
            <div class="detail">
              <p class="dim choose">Choose a delivery, with the mouse or J and K.</p>
            </div>
          ) : (
            <DeliveryPane key={chosen} subscriber={subscriber} id={chosen} />
          ))}
      </div>
    </>
  );
}

const looks = {
  waiting: { icon: "clock", tone: "warn" },
  leased: { icon: "send", tone: "info" },
  delivered: { icon: "check", tone: "ok" },
  dead: { icon: "x", tone: "err" },
} as const;

function Row({
  delivery,
  href,
  chosen,
  place,
  held,
}: {
  delivery: Delivery;
  href: string;
  chosen: boolean;
  place: number;
  held: boolean;
}) {
  const { title, type, messageId, createdAt, state, tries } = delivery;
  const delivered = state === "delivered";
  const { icon, tone } = looks[state];
  return (
    <article aria-setsize={-1} aria-posinset={place} aria-label={`${title ?? type}, ${state}`}>
      <a class="delivery" href={href} aria-current={chosen ? "true" : undefined}>
        <Icon name={icon} tone={tone} />
        <span class="title ellipsis" dir="auto" title={title ?? undefined}>
          {title ?? type}
        </span>
        <time dateTime={createdAt} title={bothClocks(createdAt)}>
          {new Date(createdAt).toLocaleTimeString("en-GB")}
        </time>
        <span class="meta">
          <span class="mono ellipsis">
            …{shortId(messageId)} {type}
          </span>
        </span>
        <span class="status">
          <AttemptDots
            failed={delivered ? Math.max(0, tries - 1) : tries}
            delivered={delivered}
            next={state === "waiting" && tries > 0}
          />
          <span class={`text-${tone}`}>{result(delivery, held)}</span>
        </span>
      </a>
    </article>
  );
}

function result({ state, last, nextAt, tries }: Delivery, held: boolean): string {
  if (state === "leased") return "under way";
  if (state === "waiting") return nextAt === null || (held && tries === 0) ? "held" : inWords(nextAt, now.value);
  const outcome = last === null ? "" : outcomeWord(last);
  if (state === "dead") return `dead, ${outcome}`;
  return last?.ms === null || last?.ms === undefined ? outcome : `${outcome}, ${last.ms} ms`;
}
