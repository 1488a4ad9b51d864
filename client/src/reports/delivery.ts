import type { ApiError, IntakeError } from "../core/errors.ts";
import { type CallOptions, retryAfterMaxMs, send, type TransportOptions } from "../core/send-with-retries.ts";
import type { Closing } from "../core/with-timeout.ts";
import { submitReport } from "../generated/contract.ts";
import type { Receipt } from "../types.ts";
import { type NativeForms, requestOf } from "./multipart-form.ts";

/**
 * How many bytes of requests with `keepalive` may be in flight: browsers let all of them together have 64 KiB, and only
 * requests with `keepalive` survive the end of their page.
 */
export const keepaliveBytes = 60_000;
let pendingBytes = 0;

interface DeliveryOptions extends TransportOptions {
  native?: NativeForms | undefined;
}

/** Sends packed reports with one SDK key. After a 429 all further reports of the key wait. */
export function createDelivery(baseUrl: string, credential: string, options: DeliveryOptions, closing: Closing) {
  let until = 0;
  /** The last 429, which a call throws when the wait is too long for it. */
  let refusal: IntakeError;

  /** Milliseconds until the key may send again. */
  const heldMs = () => Math.max(0, until - performance.now());

  return {
    _heldMs: heldMs,

    /** Starts the request without waiting, unless the key is held by a 429: a page that is being left has no later moment. */
    async send(form: Uint8Array, callOptions: CallOptions): Promise<Receipt> {
      const keepalive = pendingBytes + form.length <= keepaliveBytes || undefined;
      if (keepalive) pendingBytes += form.length;
      try {
        const answer = await send<Receipt>(
          {
            ...submitReport,
            _baseUrl: baseUrl,
            _credential: credential,
            // Whoever calls has checked that the bytes are a form.
            ...(requestOf(form, options.native) as NonNullable<ReturnType<typeof requestOf>>),
            keepalive,
            _closing: closing,
            _held(waitFor) {
              const ms = heldMs();
              return ms ? waitFor(ms, ms, refusal) : undefined;
            },
            _failed(error: IntakeError & Partial<ApiError>) {
              if (error.status !== 429) return;
              until = Math.max(until, performance.now() + Math.min(error.retryAfterMs ?? 0, retryAfterMaxMs));
              refusal = error;
            },
          },
          options,
          callOptions,
        );
        return answer.data;
      } finally {
        if (keepalive) pendingBytes -= form.length;
      }
    },
  };
}
