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

/** A message goes to several subscribers at about the same time: the last ones are kept, at most 20 kB and a bit each. */
const keptMax = 64;

interface Body {
  messageId: string;
  /** Whatever a young collection finds is kept until the next full one, so it finds none of these. */
  made: WeakRef<Promise<Uint8Array | undefined>>;
}

/** What is sent of each message, made from its row when it is first wanted. */
export class Bodies {
  readonly #store: Store;
  /** Places that are taken in turn: in a Map, each table that it has outgrown would keep its values for as long. */
  readonly #kept: (Body | undefined)[] = [];
  #place = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Undefined when there is no such message any more. */
  of(messageId: string): Promise<Uint8Array | undefined> {
    const kept = this.#kept.find((body) => body?.messageId === messageId)?.made.deref();
    if (kept) return kept;
    const made = this.#make(messageId);
    const place = this.#place;
    this.#kept[place] = { messageId, made: new WeakRef(made) };
    this.#place = (place + 1) % keptMax;
    // What could not be read may be read the next time.
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
  // Its size was counted when it came. One chunk holds it, with a byte to see that nothing follows.
  return encoding === "gzip" ? gunzipSync(bytes, { maxOutputLength: inlineBytes, chunkSize: inlineBytes + 1 }) : bytes;
}
