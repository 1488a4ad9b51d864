import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "../core/context.ts";
import type { Edge } from "./edge.ts";

/** A body has more bytes than its route takes. */
export class BodyTooLarge extends Error {
  override name = "BodyTooLarge";
}

/** Bun cuts a slow connection after some 10 s. A body has 30 s, so Bun is given more time once a body has taken 3 s. */
const slowMilliseconds = 3_000;
const cutSeconds = limits.bodySeconds + 15;

/**
 * Reads a body of at most `max` bytes within 30 s. A declared length beyond the limit is refused unread; without one
 * (or with one that is no number) the bytes are counted as they come. The rest of a refused body is left to Bun, which
 * drops it: closing the connection would cost many clients the answer.
 */
export async function readBody(
  edge: Edge,
  request: Request,
  max: number,
  patience: BodyPatience = {},
): Promise<Uint8Array> {
  const length = declaredLength(request);
  if (length !== undefined && length > max) throw new BodyTooLarge();

  const reading = length === undefined ? count(request, max) : request.bytes();
  return withinTime(edge, request, reading, patience);
}

/** How long a body is waited for, where that is less than 30 s. */
export interface BodyPatience {
  seconds?: number;
  /** Aborted to give the body up before its time is over. */
  signal?: AbortSignal;
}

/** Undefined without a `Content-Length`, or with one that is no number (two lines arrive as `3, 3`). */
export function declaredLength(request: Request): number | undefined {
  const declared = request.headers.get("content-length");
  return declared !== null && /^\d+$/.test(declared) ? Number(declared) : undefined;
}

/** Resolves with the bytes that were read, or rejects with 408 when time is up. */
function withinTime(
  edge: Edge,
  request: Request,
  reading: Promise<Uint8Array>,
  { seconds = limits.bodySeconds, signal }: BodyPatience,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const timeUp = () => {
      clearTimeout(timer);
      // A client that goes on sending is cut off one second after the answer.
      edge.keepOpen(request, 1);
      reject(new Refusal("request_timeout"));
    };
    let timer = setTimeout(() => {
      edge.keepOpen(request, cutSeconds);
      timer = setTimeout(timeUp, seconds * 1_000 - slowMilliseconds);
    }, slowMilliseconds);
    signal?.addEventListener("abort", timeUp, { once: true });
    reading.then(
      (bytes) => {
        clearTimeout(timer);
        resolve(bytes);
      },
      (error) => {
        clearTimeout(timer);
        // Any other error means that the client went away: nobody reads the answer.
        reject(error instanceof BodyTooLarge ? error : new Refusal("request_timeout"));
      },
    );
  });
}

async function count(request: Request, max: number): Promise<Uint8Array> {
  if (!request.body) return new Uint8Array();
  let bytes = new Uint8Array(16_384);
  let length = 0;
  for await (const chunk of request.body) {
    if (length + chunk.length > max) throw new BodyTooLarge();
    if (length + chunk.length > bytes.length) {
      const larger = new Uint8Array(Math.min(max, Math.max(length + chunk.length, bytes.length * 2)));
      larger.set(bytes.subarray(0, length));
      bytes = larger;
    }
    bytes.set(chunk, length);
    length += chunk.length;
  }
  return bytes.subarray(0, length);
}
