import { bothClocks } from "../../core/time.ts";
import { type Subscriber, successOf } from "./subscriber.ts";

/** A bar for each of the last 48 hours: attempts that were accepted, that failed, or none. */
export function Health({ hours }: { hours: Subscriber["hours"] }) {
  return (
    <div class="health" role="img" aria-label={wordsOf(hours)}>
      {hours.map((hour) => (
        <i
          key={hour.at}
          class={markOf(hour)}
          title={`${bothClocks(hour.at)}: ${hour.accepted} attempts accepted, ${hour.failed} failed`}
        />
      ))}
    </div>
  );
}

function wordsOf(hours: Subscriber["hours"]): string {
  const success = successOf(hours);
  if (success === undefined) return "No attempt in 48 hours";
  const failed = hours.filter((hour) => hour.failed > 0).length;
  return `48 hours, ${success} of the attempts accepted, failures in ${failed} of the hours`;
}

function markOf({ accepted, failed }: { accepted: number; failed: number }): string {
  if (accepted + failed === 0) return "idle";
  return failed === 0 ? "" : accepted === 0 ? "failed" : "mixed";
}
