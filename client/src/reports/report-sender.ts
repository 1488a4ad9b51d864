import {
  type Answer,
  type CallOptions,
  type Hold,
  heldMs,
  send,
  type TransportOptions,
} from "../core/send-with-retries.ts";
import { submitReport } from "../generated/contract.ts";
import type { Receipt } from "../types.ts";
import { requestOf } from "./multipart-form.ts";

/**
 * How many bytes of requests with `keepalive` may be in flight: browsers let all of them together have 64 KiB, and only
 * requests with `keepalive` survive the end of their page.
 */
export const keepaliveBytes = 60_000;
let pendingBytes = 0;

/** Sends packed reports with one SDK key. After a 429 all further reports of the key wait. */
export class ReportSender {
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

  /** Starts the request without waiting, unless the key is held by a 429: a page that is being left has no later moment. */
  async send(form: Uint8Array, callOptions: CallOptions): Promise<Receipt> {
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
      const { data }: Answer<Receipt> = await send(call, this.#options, callOptions);
      return data;
    } finally {
      pendingBytes -= bytes;
    }
  }
}
