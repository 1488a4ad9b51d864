import { gunzipSync } from "node:zlib";
import { inlineBytes } from "../../../openapi/schema/webhooks.ts";
import type { Row, Store } from "../../core/store.ts";
import { bodyOf } from "./message.ts";

interface MessageRow extends Row {
  head: string;
  tail: string | null;
  encoding: string | null;
  bytes: Uint8Array | null;
}

/**
 * Bodies that are kept, because a message goes to several subscribers at about the same time: the last ones, each at
 * most a little over 20 kB.
 */
const keptMax = 64;

interface Body {
  messageId: string;
  /**
   * A weak reference: what a young garbage collection finds referenced stays in memory until the next full one, and
   * these bodies should not.
   */
  made: WeakRef<Promise<Uint8Array | undefined>>;
}

/** Makes the bodies of messages from their rows, each when a delivery first needs it. */
export class Bodies {
  readonly #store: Store;
  /** A ring of places. A Map would hold on to its values in every table that it has outgrown. */
  readonly #kept: (Body | undefined)[] = [];
  #place = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Returns undefined when the message does not exist any more. */
  of(messageId: string): Promise<Uint8Array | undefined> {
    const kept = this.#kept.find((body) => body?.messageId === messageId)?.made.deref();
    if (kept) return kept;
    const made = this.#make(messageId);
    const place = this.#place;
    this.#kept[place] = { messageId, made: new WeakRef(made) };
    this.#place = (place + 1) % keptMax;
    // A body that could not be read is not kept, so the next delivery reads it again.
    made.catch(() => {
      this.#kept[place] = undefined;
    });
    return made;
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
  // The size was checked when the report was received. One chunk holds the envelope, and a byte more shows that nothing
  // follows.
  return encoding === "gzip" ? gunzipSync(bytes, { maxOutputLength: inlineBytes, chunkSize: inlineBytes + 1 }) : bytes;
}
