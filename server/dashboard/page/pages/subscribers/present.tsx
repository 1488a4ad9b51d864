import { plural, whole } from "../../core/format.ts";
import { bothClocks, now, span } from "../../core/time.ts";
import { Ago } from "../../parts/time.tsx";
import { Answer } from "./answer.tsx";
import { attemptsIn, countWords, inWords, outcomeWord, type Subscriber, successOf } from "./subscriber.ts";

/** The present state of a subscriber: its last attempt with the whole answer, and the waiting deliveries. */
export function Present({ subscriber }: { subscriber: Subscriber }) {
  return (
    <section class="subscriber-present" aria-label="At present">
      <Last subscriber={subscriber} />
      <Waits subscriber={subscriber} />
    </section>
  );
}

function Last({ subscriber: { id, last, hours, lastSuccessAt, failures } }: { subscriber: Subscriber }) {
  if (last === null) {
    const never = failures === 0 && lastSuccessAt === null && attemptsIn(hours) === 0;
    return (
      <div class="last">
        <h2>Last attempt</h2>
        <p class="dim">
          {never ? "None was made yet." : "It is not kept any more: its report or delivery was deleted."}
        </p>
      </div>
    );
  }
  const { deliveryId, number, title, type, at, status, error, ms } = last;
  return (
    <div class="last">
      <div class="row wrap">
        <h2>Last attempt</h2>
        <span class={`pill ${error === null ? "ok" : "err"}`}>{outcomeWord({ status, error })}</span>
        <span title={bothClocks(at)}>
          <Ago at={at} words />
          {ms !== null && <span class="dim digits"> in {span(ms)}</span>}
        </span>
        <a
          class="ellipsis right"
          href={`/subscribers/${id}/deliveries/${deliveryId}`}
          dir="auto"
          title={title ?? undefined}
        >
          {number > 1 && `Attempt ${number} of `}
          {title ?? type}
        </a>
      </div>
      <Answer answered={last} />
    </div>
  );
}

function Waits({ subscriber }: { subscriber: Subscriber }) {
  const { waiting, oldestWaitingAt, hours } = subscriber;
  const attempts = attemptsIn(hours);
  return (
    <dl class="waits">
      <div>
        <dt>Waiting</dt>
        <dd class={`digits strong${waiting > 0 ? " text-warn" : ""}`}>{countWords(waiting)}</dd>
      </div>
      <div>
        <dt>Oldest</dt>
        <dd class="digits">{oldestWaitingAt === null ? "–" : <Ago at={oldestWaitingAt} words />}</dd>
      </div>
      <div>
        <dt>Next try</dt>
        <dd class="digits">{nextWords(subscriber)}</dd>
      </div>
      <div>
        <dt>Attempts, 48 h</dt>
        <dd class="digits" title={attempts === 0 ? undefined : `${successOf(hours)} of ${plural(attempts, "attempt")}`}>
          {attempts === 0 ? "none" : `${whole(attempts)}, ${successOf(hours)} accepted`}
        </dd>
      </div>
    </dl>
  );
}

function nextWords({ subscriberStatus: status, waiting, nextWaitingAt }: Subscriber): string {
  if (waiting === 0) return "–";
  if (status === "paused") return "when it is resumed";
  if (status === "disabled") return "when it is enabled";
  return nextWaitingAt === null ? "–" : inWords(nextWaitingAt, now.value);
}
