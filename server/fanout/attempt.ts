import type { Store } from "../store/store.ts";
import { type Addresses, AddressRefused } from "./addresses.ts";
import { Bodies } from "./bodies.ts";
import type { Claimed } from "./claim.ts";
import type { Connections } from "./connections.ts";
import { type Posted, post } from "./post.ts";
import { requestHeaders, type SendingRow, sendingColumns } from "./request-headers.ts";
import type { Sealing } from "./sealing.ts";
import { SentGarbage } from "./sent-garbage.ts";
import type { Attempted } from "./settle.ts";

/** Sends one delivery once, and tells what came of it. Never rejects but for reasons of our own. */
export type Attempt = (claimed: Claimed) => Promise<Attempted>;

export interface AttemptTools {
  store: Store;
  addresses: Addresses;
  sealing: Sealing;
  connections: Connections;
  now: () => number;
}

export function attempts(tools: AttemptTools): Attempt {
  const { store, now } = tools;
  const bodies = new Bodies(store);
  const garbage = new SentGarbage();
  return async (claimed) => {
    const startedAt = now();
    const [subscriber, body] = await Promise.all([
      store.one<SendingRow>(`select ${sendingColumns} from subscriber where id in ($1)`, [claimed.subscriberId]),
      bodies.of(claimed.messageId),
    ]);
    // Removed meanwhile, and its deliveries with it.
    if (!subscriber || !body) return failed(claimed, startedAt, "removed", false);
    try {
      const target = await tools.addresses.resolve(subscriber.url);
      const { sealing, connections } = tools;
      const headers = requestHeaders({ sealing, now: now() }, subscriber, { id: claimed.messageId, body });
      const posted = await post(target, { headers, body, connections });
      garbage.add(body.length);
      return attempted(claimed, startedAt, posted);
    } catch (error) {
      if (error instanceof AddressRefused) return failed(claimed, startedAt, error.fault, error.final);
      throw error;
    }
  };
}

function attempted(claimed: Claimed, startedAt: number, posted: Posted): Attempted {
  const { status = null, error = null, took, answer, retryAfterMs } = posted;
  const outcome = error === null ? "accepted" : error === "gone" ? "gone" : "failed";
  return { claimed, startedAt, outcome, milliseconds: took, status, error, answer: answer || null, retryAfterMs };
}

function failed(claimed: Claimed, startedAt: number, error: string, final: boolean): Attempted {
  const outcome = final ? "hopeless" : "failed";
  return { claimed, startedAt, outcome, milliseconds: 0, status: null, error, answer: null };
}
