import type { Context } from "../core/context.ts";
import type { Sealing } from "../core/sealing.ts";
import { SsrfGuard } from "../webhooks/addresses/ssrf-guard.ts";
import { attempts } from "../webhooks/deliveries/attempt.ts";
import type { LeaseHolder } from "../webhooks/deliveries/claim.ts";
import type { Settled } from "../webhooks/deliveries/settle.ts";
import { DeliveryWorker } from "../webhooks/deliveries/worker.ts";
import { Connections } from "../webhooks/sender/connections.ts";

export interface WebhookOptions {
  /** Addresses and ranges that webhooks may go to although they are not public. */
  webhookAllow: readonly string[];
  /** Certificates that are trusted beside the usual ones, PEM. */
  webhookCa: readonly string[];
  /** Seconds before each attempt of a delivery. */
  webhookSchedule: readonly number[];
}

/** Makes everything that deliveries to subscribers need. `settled` is called with each attempt that ended. */
export function makeWebhooks(
  { sealing, holder }: { sealing: Sealing; holder: LeaseHolder | undefined },
  { store, now, newId, cutoff }: Omit<Context, "actor">,
  { webhookAllow, webhookCa, webhookSchedule: schedule }: WebhookOptions,
  settled: (settled: Settled) => void,
) {
  const connections = new Connections({ ca: webhookCa });
  const addresses = new SsrfGuard({ allow: webhookAllow });
  const attempt = attempts({ store, sealing, now, addresses, connections, holder });
  const monotonic = () => performance.now();
  const worker = new DeliveryWorker({ store, attempt, schedule, now, monotonic, newId, cutoff, settled, holder });
  return { sealing, connections, addresses, schedule, worker };
}
