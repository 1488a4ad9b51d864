import type { Sealing } from "../../core/sealing.ts";
import type { Store } from "../../core/store.ts";
import { AddressRefused, type SsrfGuard } from "../addresses/ssrf-guard.ts";
import { formatBody } from "../formats/format-body.ts";
import { Bodies } from "../messages/bodies.ts";
import { requestOf, type SendingRow, sendingColumns } from "../messages/request.ts";
import type { Connections } from "../sender/connections.ts";
import { type Posted, post } from "../sender/post.ts";
import { SentGarbage } from "../sender/sent-garbage.ts";
import type { Claimed, LeaseHolder } from "./claim.ts";
import type { Attempted } from "./settle.ts";

/** Makes one attempt of a delivery and resolves with its outcome. A rejection is a fault of this program. */
export type Attempt = (claimed: Claimed) => Promise<Attempted>;

interface AttemptTools {
  store: Store;
  addresses: SsrfGuard;
  sealing: Sealing;
  connections: Connections;
  now: () => number;
  holder?: LeaseHolder | undefined;
}

export function attempts(tools: AttemptTools): Attempt {
  const { store, now, holder } = tools;
  const bodies = new Bodies(store);
  const garbage = new SentGarbage();
  return async (claimed) => {
    const startedAt = now();
    const [subscriber, message] = await Promise.all([
      store.one<SendingRow>(`select s.id, ${sendingColumns} from subscriber s where s.id in ($1)`, [
        claimed.subscriberId,
      ]),
      bodies.of(claimed.messageId),
    ]);
    // The subscriber was removed meanwhile, and its deliveries with it.
    if (!subscriber || !message) return failed(claimed, startedAt, { error: "removed" });
    try {
      const target = await tools.addresses.resolve(subscriber.url);
      const { sealing, connections } = tools;
      const body = subscriber.format === "intake" ? message : await formatBody(store, subscriber.format, message);
      const request = requestOf({ sealing, now: now() }, subscriber, { id: claimed.messageId, body });
      // After a pause of this process another one may be at it.
      if (holder?.alive() === false) return abandoned(claimed, startedAt);
      const posted = await post(target, { ...request, connections });
      garbage.add(request.body.length);
      return attempted(claimed, startedAt, posted);
    } catch (error) {
      if (error instanceof AddressRefused) {
        const { fault, final, message: detail } = error;
        return failed(claimed, startedAt, { error: fault, final, detail });
      }
      throw error;
    }
  };
}

function attempted(claimed: Claimed, startedAt: number, posted: Posted): Attempted {
  const { status = null, error = null, took, answer, answerCut, headers, retryAfterMs } = posted;
  const outcome = error === null ? "accepted" : error === "gone" ? "gone" : "failed";
  return {
    ...{ claimed, startedAt, outcome, milliseconds: took, status, error, retryAfterMs },
    ...{ headers, answer: answer || null, answerCut },
  };
}

/** The outcome of an attempt that this process may no longer make. */
function abandoned(claimed: Claimed, startedAt: number): Attempted {
  return { ...failed(claimed, startedAt, { error: "abandoned" }), milliseconds: null };
}

/** The outcome of an attempt in which nothing was sent. */
function failed(
  claimed: Claimed,
  startedAt: number,
  { error, final = false, detail }: { error: string; final?: boolean; detail?: string },
): Attempted {
  const outcome = final ? "hopeless" : "failed";
  return { claimed, startedAt, outcome, milliseconds: 0, status: null, error, detail, answer: null };
}
