import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "../core/context.ts";
import { BodyTooLarge } from "./body.ts";
import { ChunkCoalescer } from "./coalesce-chunks.ts";
import type { Edge } from "./edge.ts";

interface UploadRules {
  /** The declared length, when there is one. */
  declared: number | undefined;
  maxBytes: number;
  /** For the whole body to arrive. */
  seconds: number;
  /** Called once a body without a declared length proves to be an upload: beyond 64 KiB. Throws to refuse it. */
  onUpload: () => void;
}

/** The client went away: nobody reads the answer. */
class UploadAborted extends Refusal {
  constructor() {
    super("request_timeout", undefined, {}, "aborted");
  }
}

const sampleMilliseconds = 1_000;
/** Bun cuts a connection that is slower than it likes; the cut is moved on as long as our own rules hold. */
const keepOpenSeconds = 60;
const keepOpenEvery = 20;

/**
 * Takes the bytes of a body as they come. `kept` bytes are its own; others are lent until the promise it returns has
 * resolved, or until it returns when it returns none.
 */
type Taker = (chunk: Buffer, kept: boolean) => Promise<void> | undefined;

/**
 * Hands a body on as it comes, and waits for whoever takes it. Counts bytes whatever length was declared, and gives up
 * with 408 on one that brings less than 60,000 bytes in any 30 s (2 kB/s) or is not whole in time.
 */
export async function readUpload(
  edge: Edge,
  request: Request,
  { declared, maxBytes, seconds, onUpload }: UploadRules,
  take: Taker,
): Promise<void> {
  const clock = new UploadClock(edge, request, seconds);
  const reader = declared !== undefined && declared <= limits.slowBytes ? undefined : request.body?.getReader();
  try {
    // A body that small is too slow exactly when it is not here after 30 s, so nobody needs to see it grow.
    if (!reader) {
      const bytes = await clock.race(request.bytes());
      await take(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), true);
      return;
    }
    let upload = declared !== undefined;
    const gather = new ChunkCoalescer();
    for (let chunks = 1; ; chunks++) {
      const { done, value } = await clock.race(reader.read());
      if (!done) {
        clock.total += value.length;
        if (clock.total > maxBytes) throw new BodyTooLarge();
        if (chunks > piecesMax && clock.total < chunks * pieceBytes) throw new BodyInPieces();
        if (!upload && clock.total > limits.uploadBytes) {
          upload = true;
          onUpload();
        }
      }
      // Others have their turn, also while everything is here already.
      if (chunks % piecesInARow === 0) await new Promise(setImmediate);
      const chunk = gather.add(done ? undefined : Buffer.from(value.buffer, value.byteOffset, value.length));
      const taken = chunk && take(chunk, false);
      if (taken) await clock.pause(taken);
      if (done) return;
      // Up to a MiB each: waiting for the garbage collector would double what uploads take.
      value.buffer.transfer(0);
    }
  } catch (error) {
    // Bun drops what still comes.
    void reader?.cancel().catch(() => {});
    throw error;
  } finally {
    clock.stop();
  }
}

/** More pieces than this of less than so many bytes on average are no way to send a report. */
const piecesMax = 4_096;
const pieceBytes = 16;
const piecesInARow = 256;

/** A body in very many very small pieces: each costs as much as a large one. */
export class BodyInPieces extends Error {
  override name = "BodyInPieces";
}

/** Watches one body. Time that we take ourselves to write it down is not counted against the client. */
class UploadClock {
  readonly #edge: Edge;
  readonly #request: Request;
  readonly #secondsMax: number;
  /** Bytes at the end of each second, of the last 30. */
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
    running.add(this);
    if (ticking === undefined) ticking = tick();
  }

  /** Settles with the reading, or with 408 once time is up. */
  race<T>(reading: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#late = reject;
      // Time was up while nothing was being read.
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
    running.delete(this);
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
    // Whatever drips on is cut soon after the answer.
    this.#edge.keepOpen(this.#request, 1);
    this.#late?.(new Refusal("request_timeout"));
  }
}

/** One timer for all bodies, while there are any: most come and go between two of its ticks. */
const running = new Set<UploadClock>();
let ticking: Timer | undefined;

function tick(): Timer {
  const timer = setInterval(() => {
    for (const clock of running) clock.second();
    if (running.size > 0) return;
    clearInterval(timer);
    ticking = undefined;
  }, sampleMilliseconds);
  timer.unref();
  return timer;
}
