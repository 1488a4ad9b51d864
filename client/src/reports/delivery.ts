import { type Answer, type CallOptions, type Hold, heldMs, send, type TransportOptions } from "../core/send.ts";
import { submitReport } from "../generated/contract.ts";
import type { Receipt } from "../types.ts";
import { requestOf } from "./form.ts";

/** What all requests of a platform may have in flight together to outlive their page: its limit is 64 KiB. */
export const keepaliveBytes = 60_000;
let pendingBytes = 0;

/** Sends packed reports with one key. A 429 holds the whole key: whoever sends next waits as well. */
export class Delivery {
  readonly #options: TransportOptions;
  readonly #baseUrl: string;
  readonly #key: string;
  readonly #hold: Hold = { until: 0 };

  constructor(baseUrl: string, key: string, options: TransportOptions) {
    this.#options = options;
    this.#baseUrl = baseUrl;
    this.#key = key;
  }

  /** Milliseconds until the key may send again. */
  get heldMs(): number {
    return heldMs(this.#hold);
  }

  /** Begins at once unless the key is held: a page that is about to go has no other moment. */
  async send(form: Uint8Array, own: CallOptions): Promise<Receipt> {
    const request = requestOf(form);
    const keepalive = pendingBytes + form.length <= keepaliveBytes;
    const bytes = keepalive ? form.length : 0;
    pendingBytes += bytes;
    const call = {
      ...submitReport,
      baseUrl: this.#baseUrl,
      credential: this.#key,
      ...request,
      keepalive,
      hold: this.#hold,
    };
    try {
      const { data }: Answer<Receipt> = await send(call, this.#options, own);
      return data;
    } finally {
      pendingBytes -= bytes;
    }
  }
}
