import { type IntakeError, isApiError } from "../core/errors.ts";
import { type Answer, type CallOptions, send, type TransportOptions } from "../core/send.ts";
import { pause } from "../core/within.ts";
import { submitReport } from "../generated/contract.ts";
import type { Receipt } from "../types.ts";
import { requestOf } from "./form.ts";

/** What all requests of a platform may have in flight together to outlive their page: its limit is 64 KiB. */
export const keepaliveBytes = 60_000;
let pendingBytes = 0;

/** A `Retry-After` beyond a day is a mistake. */
const holdMaxMs = 86_400_000;

/** Sends packed reports with one key. A 429 holds the whole key: whoever sends next waits as well. */
export class Delivery {
  readonly #options: TransportOptions;
  readonly #baseUrl: string;
  readonly #key: string;
  #heldUntil = 0;
  #heldBy: IntakeError | undefined;

  constructor(baseUrl: string, key: string, options: TransportOptions) {
    this.#options = options;
    this.#baseUrl = baseUrl;
    this.#key = key;
  }

  /** Milliseconds until the key may send again. */
  get heldMs(): number {
    return Math.max(0, this.#heldUntil - performance.now());
  }

  /** Waits while the key is held; throws what holds it when that is beyond `maxRetryAfterMs`. */
  async ready({ signal }: CallOptions): Promise<void> {
    const { heldMs } = this;
    if (heldMs > (this.#options.maxRetryAfterMs ?? 60_000)) throw this.#heldBy;
    if (heldMs) await pause(heldMs, signal);
  }

  /** Begins at once: a page that is about to go has no other moment. */
  async send(form: Uint8Array, own: CallOptions): Promise<Receipt> {
    const { length } = form;
    const keepalive = pendingBytes + length <= keepaliveBytes;
    pendingBytes += length;
    const call = {
      ...submitReport,
      baseUrl: this.#baseUrl,
      credential: this.#key,
      ...requestOf(form),
      keepalive,
      failed: (error: IntakeError) => {
        if (!isApiError(error) || error.status !== 429) return;
        this.#heldBy = error;
        this.#heldUntil = performance.now() + Math.min(error.retryAfterMs ?? 0, holdMaxMs);
      },
    };
    try {
      const { data }: Answer<Receipt> = await send(call, this.#options, own);
      return data;
    } finally {
      pendingBytes -= length;
    }
  }
}
