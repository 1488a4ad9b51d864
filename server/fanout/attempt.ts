import { gunzipSync } from "node:zlib";
import type { Row, Store } from "../store/store.ts";
import { type Addresses, AddressRefused } from "./addresses.ts";
import type { Claimed } from "./claim.ts";
import type { Connections } from "./connections.ts";
import { bodyOf, inlineBytes } from "./message.ts";
import { type Posted, post } from "./post.ts";
import { requestHeaders, type SendingRow, sendingColumns } from "./request-headers.ts";
import type { Sealing } from "./sealing.ts";
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

interface MessageRow extends Row {
  head: string;
  tail: string | null;
  encoding: string | null;
  bytes: Uint8Array | null;
}

export function attempts(tools: AttemptTools): Attempt {
  const { store, now } = tools;
  const bodies = new Bodies(store);
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
      return attempted(claimed, startedAt, await post(target, { headers, body, connections }));
    } catch (error) {
      if (error instanceof AddressRefused) return failed(claimed, startedAt, error.fault, error.final);
      throw error;
    }
  };
}

/** A message goes to several subscribers at about the same time: the last ones are kept, at most 20 kB and a bit each. */
const bodiesMax = 64;

class Bodies {
  readonly #store: Store;
  readonly #made = new Map<string, Promise<Uint8Array | undefined>>();

  constructor(store: Store) {
    this.#store = store;
  }

  of(messageId: string): Promise<Uint8Array | undefined> {
    const made = this.#made.get(messageId);
    if (made) return made;
    const [oldest] = this.#made.keys();
    if (oldest !== undefined && this.#made.size >= bodiesMax) this.#made.delete(oldest);
    const making = this.#make(messageId);
    this.#made.set(messageId, making);
    // What could not be read may be read the next time.
    making.catch(() => this.#made.delete(messageId));
    return making;
  }

  async #make(messageId: string): Promise<Uint8Array | undefined> {
    const message = await this.#store.one<MessageRow>(
      `select head, tail, encoding, bytes from message
       left join envelope on envelope.event_id = message.event_id and message.tail is not null
       where message.id in ($1)`,
      [messageId],
    );
    return message && bodyOf(message, unpacked(message));
  }
}

function unpacked({ bytes, encoding }: MessageRow): Uint8Array {
  if (!bytes) return new Uint8Array();
  // Its size was counted when it came.
  return encoding === "gzip" ? gunzipSync(bytes, { maxOutputLength: inlineBytes }) : bytes;
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
