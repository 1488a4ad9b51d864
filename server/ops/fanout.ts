import type { Context } from "../access/context.ts";
import { Addresses } from "../fanout/addresses.ts";
import { attempts } from "../fanout/attempt.ts";
import { Connections } from "../fanout/connections.ts";
import { openSealing } from "../fanout/open-sealing.ts";
import type { Settled } from "../fanout/settle.ts";
import { DeliveryWorker } from "../fanout/worker.ts";

export interface FanoutOptions {
  /** Addresses and ranges that webhooks may go to although they are not public. */
  webhookAllow: readonly string[];
  /** Certificates that are trusted beside the usual ones, PEM. */
  webhookCa: readonly string[];
  /** Seconds before each attempt of a delivery. */
  webhookSchedule: readonly number[];
}

/** Everything that deliveries to subscribers take. `settled` is told of each attempt that ended. */
export async function fanoutOf(
  folder: string,
  { store, now, newId }: Omit<Context, "actor">,
  { webhookAllow, webhookCa, webhookSchedule: schedule }: FanoutOptions,
  settled: (settled: Settled) => void,
) {
  const sealing = await openSealing(folder, store);
  const connections = new Connections({ ca: webhookCa });
  const addresses = new Addresses({ allow: webhookAllow });
  const attempt = attempts({ store, sealing, now, addresses, connections });
  const worker = new DeliveryWorker({ store, attempt, schedule, now, newId, settled });
  return { sealing, connections, addresses, schedule, worker };
}
