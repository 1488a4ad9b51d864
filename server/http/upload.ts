import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "../core/context.ts";
import { BodyTooLarge } from "./body.ts";
import { ChunkCoalescer } from "./coalesce-chunks.ts";
import type { Edge } from "./edge.ts";

interface UploadLimits {
  /** The declared length of the body; undefined without one. */
  declared: number | undefined;
  maxBytes: number;
  /** Time for the whole body to arrive. */
  seconds: number;
  /** Whether a body of declared length is held in memory: then `take` may keep all bytes. */
  held: boolean;
  /** Called once a body without a declared length proves to be an upload: beyond 64 KiB. Rejects to refuse it. */
  onUpload: () => Promise<void>;
}

/** The client went away: nobody reads the answer. */
class UploadAborted extends Refusal {
  constructor() {
    super("request_timeout", undefined, {}, "aborted");
  }
}

const sampleMilliseconds = 1_000;
/** Bun cuts a slow connection after its idle time, which is extended as long as the upload keeps to the rules here. */
const keepOpenSeconds = 60;
const keepOpenEvery = 20;

/**
 * Receives the bytes of a body as they come. It may keep the bytes when `kept` is true. Otherwise they are valid until
 * it returns, or until the promise that it returns has resolved.
 */
type Taker = (chunk: Buffer, kept: boolean) => Promise<void> | undefined;

/**
 * Reads a body and hands on its bytes as they come, waiting for `take`. Counts them whatever length was declared, and
 * throws 408 for a body that brings less than 60,000 bytes in any 30 s (2 kB/s) or is not complete in time.
 */
export async function readUpload(
  edge: Edge,
  request: Request,
  { declared, maxBytes, seconds, held, onUpload }: UploadLimits,
  take: Taker,
): Promise<void> {
  const clock = new UploadClock(edge, request, seconds);
  const reader = declared !== undefined && declared <= limits.slowBytes ? undefined : request.body?.getReader();
  try {
    // A body that small is too slow exactly when it is incomplete after 30 s, so its growth need not be watched.
    if (!reader) {
      const bytes = await clock.race(request.bytes());
      await take(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), true);
      return;
    }
    let upload = declared !== undefined;
    const coalescer = new ChunkCoalescer();
    const holder = held && declared !== undefined ? new BodyHolder(declared) : undefined;
    for (let chunks = 1; ; chunks++) {
      const { done, value } = await clock.race(reader.read());
      if (!done) {
        clock.total += value.length;
        if (clock.total > maxBytes) throw new BodyTooLarge();
        if (chunks > piecesMax && clock.total < chunks * pieceBytes) throw new BodyInPieces();
        if (!upload && clock.total > limits.uploadBytes) {
          upload = true;
          await clock.pause(onUpload());
        }
      }
      // Lets other requests run, also when the whole body has arrived already.
      if (chunks % piecesInARow === 0) await new Promise(setImmediate);
      const chunk = coalescer.add(done ? undefined : Buffer.from(value.buffer, value.byteOffset, value.length));
      const kept = chunk && holder?.hold(chunk);
      const taken = chunk && take(kept ?? chunk, kept !== undefined);
      if (taken) await clock.pause(taken);
      if (done) return;
      // Frees up to 1 MiB at once: leaving it to the garbage collector would double the memory that uploads take.
      if (kept?.buffer !== value.buffer) value.buffer.transfer(0);
    }
  } catch (error) {
    // Bun drops the rest of the body.
    void reader?.cancel().catch(() => {});
    throw error;
  } finally {
    clock.stop();
  }
}

/** Holds a body of declared length in memory, without a copy where it comes in one piece. */
class BodyHolder {
  readonly #length: number;
  #bytes: Buffer | undefined;
  #at = 0;

  constructor(length: number) {
    this.#length = length;
  }

  /** Returns the bytes of the chunk where they stay: in the chunk itself when it is the whole body. */
  hold(chunk: Buffer): Buffer {
    if (this.#at === 0 && chunk.length === this.#length && chunk.buffer.byteLength < 2 * chunk.length) return chunk;
    if (this.#at + chunk.length > this.#length) return Buffer.from(chunk);
    this.#bytes ??= Buffer.allocUnsafeSlow(this.#length);
    const start = this.#at;
    this.#at += chunk.copy(this.#bytes, start);
    return this.#bytes.subarray(start, this.#at);
  }
}

/** A body of more pieces than this is refused when they have fewer bytes than `pieceBytes` on average. */
const piecesMax = 4_096;
const pieceBytes = 16;
/** Pieces that are taken before other requests run. */
const piecesInARow = 256;

/** The body came in very many very small pieces, each of which costs as much as a large one. */
export class BodyInPieces extends Error {
  override name = "BodyInPieces";
}

/**
 * Watches how fast one body comes. Time in which the server itself writes to disk is not counted against the client.
 */
class UploadClock {
  readonly #edge: Edge;
  readonly #request: Request;
  readonly #secondsMax: number;
  /** Bytes that had come at the end of each of the last 30 seconds. */
  readonly #samples: number[] = [];
  #elapsed = 0;
  #paused = false;
  #late: ((error: Error) => void) | undefined;
  #over = false;
  total = 0;

  constructor(edge: Edge, request: Request, secondsMax: number) {
    this.#edge = edge;
    this.#request = request;
    this.#secondsMax = secondsMax;
    watched.add(this);
    if (ticking === undefined) ticking = tick();
  }

  /** Resolves with what was read, or rejects with 408 once time is up. */
  race<T>(reading: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#late = reject;
      // Time may have run out before this read began.
      if (this.#over) reject(new Refusal("request_timeout"));
      reading.then(resolve, () => reject(new UploadAborted()));
    });
  }

  async pause(work: Promise<void>): Promise<void> {
    this.#paused = true;
    await work;
    this.#paused = false;
  }

  stop() {
    watched.delete(this);
  }

  second() {
    this.#elapsed++;
    if (this.#elapsed % keepOpenEvery === 3) this.#edge.keepOpen(this.#request, keepOpenSeconds);
    if (this.#paused) return;
    this.#samples.push(this.total);
    const full = this.#samples.length > limits.slowSeconds;
    const slow = full && this.total - (this.#samples.shift() ?? 0) < limits.slowBytes;
    if (slow || this.#elapsed >= this.#secondsMax) this.#giveUp();
  }

  #giveUp() {
    this.stop();
    this.#over = true;
    // A client that goes on sending is cut off one second after the answer.
    this.#edge.keepOpen(this.#request, 1);
    this.#late?.(new Refusal("request_timeout"));
  }
}

/** The bodies that one timer watches, while there are any: most begin and end between two of its ticks. */
const watched = new Set<UploadClock>();
let ticking: Timer | undefined;

function tick(): Timer {
  const timer = setInterval(() => {
    for (const clock of watched) clock.second();
    if (watched.size > 0) return;
    clearInterval(timer);
    ticking = undefined;
  }, sampleMilliseconds);
  timer.unref();
  return timer;
}
