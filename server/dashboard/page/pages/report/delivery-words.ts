import { span } from "../../core/time.ts";
import type { ReportDetail } from "../reports/types.ts";

type Delivery = ReportDetail["deliveries"][number];

/** "204 in 58 ms", "attempt 4 in 18 m, last answer 500" */
export function wordsOf(delivery: Delivery, now: number): string {
  const { state, attempts, nextAttemptAt, tries } = delivery;
  const last = tries?.at(-1);
  const answer = last && (last.status === undefined ? (last.error ?? "no answer") : String(last.status));
  if (state === "delivered")
    return answer === undefined ? "delivered" : `${answer}${last?.ms == null ? "" : ` in ${span(last.ms)}`}`;
  const lastAnswer = answer === undefined ? "" : `, last answer ${answer}`;
  if (state === "dead") return `gave up after ${attempts} ${attempts === 1 ? "attempt" : "attempts"}${lastAnswer}`;
  if (state === "leased") return `attempt ${attempts + 1} runs${lastAnswer}`;
  if (delivery.subscriberState !== "active") return `waits: the subscriber is ${delivery.subscriberState}`;
  const wait = nextAttemptAt === undefined ? 0 : Date.parse(nextAttemptAt) - now;
  return `attempt ${attempts + 1} ${wait > 1_000 ? `in ${span(wait)}` : "now"}${lastAnswer}`;
}
