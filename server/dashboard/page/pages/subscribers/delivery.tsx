import { useState } from "preact/hooks";
import { api, done } from "../../core/api.ts";
import { shortId } from "../../core/format.ts";
import { failureOf, useLoad } from "../../core/load.ts";
import { say } from "../../core/say.ts";
import { now } from "../../core/time.ts";
import { Icon } from "../../parts/icon.tsx";
import { Receipt } from "../../parts/receipt.tsx";
import { Shown } from "../../parts/states.tsx";
import { Bar, type Crumb } from "../../shell/bar.tsx";
import { Attempts } from "./attempts.tsx";
import { RetryTimeline } from "./retry-timeline.tsx";
import { type DeliveryDetail, inWords, type Subscriber, showDelivery } from "./subscriber.ts";

/** One delivery; `alone` when there is no room for the list beside it. */
export function DeliveryPane({
  subscriber,
  id,
  alone = false,
}: {
  subscriber: Subscriber;
  id: string;
  alone?: boolean;
}) {
  const loaded = useLoad(`delivery ${id}`, () => showDelivery(subscriber.id, id), {
    kinds: ["delivery"],
    about: (change) => change.in === subscriber.id,
  });
  const body = (
    <Shown loaded={loaded} rowHeight={34}>
      {(delivery) => <Body subscriber={subscriber} delivery={delivery} />}
    </Shown>
  );
  if (!alone) {
    return (
      <article class="detail" aria-label="Delivery">
        <div class="padded gap-10">{body}</div>
      </article>
    );
  }
  return (
    <>
      <Bar crumbs={crumbsOfDelivery(subscriber)}>
        <a class="btn ghost square hide-narrow" href={`/subscribers/${subscriber.id}`} aria-label="Back to deliveries">
          <Icon name="left" />
        </a>
      </Bar>
      <main id="main" class="detail">
        <h1 class="sr-only">Delivery</h1>
        <div class="padded gap-10">{body}</div>
      </main>
    </>
  );
}

/** The breadcrumbs of a delivery that is shown alone. */
export function crumbsOfDelivery({ id, name }: Pick<Subscriber, "id" | "name">): Crumb[] {
  return [{ text: "Subscribers", to: "/subscribers" }, { text: name, to: `/subscribers/${id}` }, "Delivery"];
}

function Body({ subscriber, delivery }: { subscriber: Subscriber; delivery: DeliveryDetail }) {
  const { id, type, messageId, eventId, title, state, createdAt, attempts, retryTimeline, request } = delivery;
  const [busy, setBusy] = useState(false);

  async function replay() {
    setBusy(true);
    try {
      await done(api.subscribers({ id: subscriber.id }).deliveries({ delivery: id }).replay.post({}));
      say(state === "waiting" ? "It leaves now." : "It goes out again, with the same webhook-id.");
    } catch (error) {
      say(failureOf(error).message, { bad: true });
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
      <div class="row wrap">
        <h2 class="ellipsis medium">
          {type} <span class="mono dim plain">…{shortId(messageId)}</span>
        </h2>
        <State delivery={delivery} />
        <button type="button" class="btn right" disabled={busy || state === "leased"} onClick={replay}>
          <Icon name="replay" small />
          {state === "waiting" ? "Send now" : "Send again"}
        </button>
      </div>
      {eventId !== null && (
        <a class="ellipsis" href={`/reports/${eventId}`} data-over dir="auto" title={title ?? undefined}>
          {title ?? "The report"}
        </a>
      )}
      <Receipt stamp="Queued once" at={createdAt}>
        <span>
          webhook-id <b>{messageId}</b>
        </span>
      </Receipt>
      <RetryTimeline steps={retryTimeline} />
      <Attempts attempts={attempts} request={request} createdAt={createdAt} />
    </>
  );
}

function State({ delivery: { state, nextAt, retryTimeline, endedAt } }: { delivery: DeliveryDetail }) {
  const next = retryTimeline.findIndex((step) => step.state === "next") + 1;
  if (state === "delivered") {
    return (
      <span class="pill ok">
        <Icon name="check" />
        Delivered
      </span>
    );
  }
  if (state === "dead") {
    return (
      <span class="pill err" title={endedAt ?? undefined}>
        <Icon name="x" />
        Given up
      </span>
    );
  }
  if (state === "leased") {
    return (
      <span class="pill info">
        <Icon name="send" />
        Under way
      </span>
    );
  }
  return (
    <span class="pill warn">
      <Icon name="clock" />
      {nextAt === null ? "Held" : `Waiting for attempt ${next}, ${inWords(nextAt, now.value)}`}
    </span>
  );
}
