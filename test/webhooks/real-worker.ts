import { idMaker } from "../../server/core/ids.ts";
import { openSealing } from "../../server/core/open-sealing.ts";
import { SsrfGuard } from "../../server/webhooks/addresses/ssrf-guard.ts";
import { attempts } from "../../server/webhooks/deliveries/attempt.ts";
import type { Settled } from "../../server/webhooks/deliveries/settle.ts";
import { DeliveryWorker } from "../../server/webhooks/deliveries/worker.ts";
import { Connections } from "../../server/webhooks/sender/connections.ts";
import { openStore } from "../support/open-store.ts";

interface RealWorker {
  worker: DeliveryWorker;
  stop(): Promise<void>;
}

/** A worker as a server has it, with a connection of its own to the data directory. */
export async function realWorker(
  folder: string,
  { now, settled }: { now: () => number; settled: (one: Settled) => void },
): Promise<RealWorker> {
  const store = await openStore(folder, { busyMs: 0 });
  const sealing = await openSealing(folder, store);
  const addresses = new SsrfGuard({ allow: ["127.0.0.0/8"] });
  const connections = new Connections();
  const attempt = attempts({ store, sealing, addresses, connections, now });
  const newId = idMaker(now);
  const worker = new DeliveryWorker({ store, attempt, schedule: [0, 5, 5], now, monotonic: now, newId, settled });
  return {
    worker,
    async stop() {
      await worker.stop();
      connections.close();
      await store.close();
    },
  };
}
