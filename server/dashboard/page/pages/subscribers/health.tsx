import { bothClocks } from "../../core/time.ts";
import type { Subscriber } from "./subscriber.ts";

/** A bar for each of the last 48 hours: what was delivered, what failed, or nothing. */
export function Health({ hours }: { hours: Subscriber["hours"] }) {
  const failed = hours.filter((hour) => hour.failed > 0).length;
  return (
    <div
      class="health"
      role="img"
      aria-label={failed === 0 ? "48 hours without a failure" : `48 hours, failures in ${failed} of them`}
    >
      {hours.map((hour) => (
        <i
          key={hour.at}
          class={markOf(hour)}
          title={`${bothClocks(hour.at)}: ${hour.delivered} delivered, ${hour.failed} failed`}
        />
      ))}
    </div>
  );
}

function markOf({ delivered, failed }: { delivered: number; failed: number }): string {
  if (delivered + failed === 0) return "z";
  return failed === 0 ? "" : delivered === 0 ? "x" : "p";
}
