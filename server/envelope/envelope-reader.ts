import { limits } from "../../openapi/schema/limits.ts";
import { RateLimited } from "../core/rate-limited.ts";
import { canonicalDigest } from "./canonical.ts";
import { type DecodedEnvelope, decodeEnvelope, isGzip, unpack } from "./decode-envelope.ts";
import { EnvelopeThread } from "./envelope-thread.ts";
import { ReadingTime } from "./reading-time.ts";
import { type ReportContents, type ReportWords, readContents, readWords } from "./report-contents.ts";

/** The bytes of a part, in memory or to be loaded when their turn has come. */
type Content = Uint8Array | { bytes(): Promise<Uint8Array> };

interface Small {
  bytes: Uint8Array;
  resolve: (inspection: DecodedEnvelope) => void;
  reject: (error: unknown) => void;
}

/** Up to so many unpacked bytes an envelope is read on the spot: some 2 ms at worst. */
const inlineBytes = limits.uploadBytes / 2;
/** Up to so many it is read together with others. */
const smallBytes = limits.uploadBytes;
/** A plain one of this size is read in less time than it takes to hand it over. */
const lightBytes = 4_096;
/** So many at once are read by the thread: reading them takes longer than handing them over. */
const batchMin = 4;
const batchMax = 64;
const batchesAtOnce = 8;

/**
 * Reads envelopes without holding others up. A few small ones are read on the spot, many are handed to a thread
 * together, and a large one goes to another thread, alone: no request waits for somebody's 5 MiB. There the owners take
 * turns, so that nobody with many large ones keeps the others waiting for more than one.
 */
export class EnvelopeReader {
  readonly #many = new EnvelopeThread({ handedOverMax: batchesAtOnce, smol: false });
  readonly #readingTime = new ReadingTime();
  readonly #large = new EnvelopeThread({
    handedOverMax: 1,
    smol: true,
    spent: (owner, milliseconds) => this.#readingTime.add(owner, milliseconds),
  });
  #waiting: Small[] = [];
  #scheduled = false;

  /**
   * `owner` is whoever the envelope comes from: an SDK key. A large one is refused with 429 when those of its owner have
   * taken `mostMilliseconds` of processor time in the last 60 s.
   */
  async decodeEnvelope(
    content: Content,
    owner: string,
    mostMilliseconds = Number.POSITIVE_INFINITY,
  ): Promise<DecodedEnvelope> {
    if (!(content instanceof Uint8Array)) return this.#inspectLarge(() => content.bytes(), owner, mostMilliseconds);
    if (content.length <= lightBytes && !isGzip(content)) return decodeEnvelope(content);
    const small = await new Promise<DecodedEnvelope>((resolve, reject) => {
      this.#waiting.push({ bytes: content, resolve, reject });
      this.#schedule();
    });
    return small.kind === "too_large"
      ? this.#inspectLarge(() => Promise.resolve(content), owner, mostMilliseconds)
      : small;
  }

  /** The canonical digest of an envelope as it is stored; a large one within `mostMilliseconds` as above. */
  async canonical(stored: Uint8Array, owner: string, mostMilliseconds = Number.POSITIVE_INFINITY): Promise<Uint8Array> {
    // Many may be asked for in a row, and nothing else would have a turn.
    await new Promise(setImmediate);
    if (unpack(stored, inlineBytes) instanceof Uint8Array) return canonicalDigest(stored);
    const question = async () => {
      this.#requireTime(owner, mostMilliseconds);
      return { wanted: "canonical" as const, bytes: stored };
    };
    const hex = await this.#large.ask(question, owner, true);
    return Uint8Array.fromHex(hex);
  }

  /** What a stored envelope is found by, beside what its index tells. */
  words(stored: Uint8Array, owner: string): Promise<ReportWords> {
    return this.#read("words", stored, owner, readWords);
  }

  /** What a stored envelope says, for people. */
  contents(stored: Uint8Array, owner: string): Promise<ReportContents> {
    return this.#read("contents", stored, owner, readContents);
  }

  async #read<T>(
    wanted: "words" | "contents",
    stored: Uint8Array,
    owner: string,
    read: (bytes: Uint8Array) => T,
  ): Promise<T> {
    await new Promise(setImmediate);
    const unpacked = unpack(stored, inlineBytes);
    if (unpacked instanceof Uint8Array) return read(unpacked);
    return JSON.parse(await this.#large.ask(() => Promise.resolve({ wanted, bytes: stored }), owner)) as T;
  }

  close() {
    this.#many.close();
    this.#large.close();
  }

  /** To be called when the envelope's turn has come: before that nobody knows what those before it will take. */
  #requireTime(owner: string, mostMilliseconds: number) {
    const seconds = this.#readingTime.wait(owner, mostMilliseconds);
    if (seconds > 0) throw new RateLimited("reading", seconds);
  }

  async #inspectLarge(
    load: () => Promise<Uint8Array>,
    owner: string,
    mostMilliseconds: number,
  ): Promise<DecodedEnvelope> {
    const answer = await this.#large.ask(async () => {
      this.#requireTime(owner, mostMilliseconds);
      const bytes = await load();
      return { wanted: "inspections", bytes, lengths: [bytes.length], most: limits.envelopeBytes };
    }, owner);
    return (JSON.parse(answer) as [DecodedEnvelope])[0];
  }

  #schedule() {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#readWaiting();
    });
  }

  #readWaiting() {
    if (this.#waiting.length >= batchMin) {
      void this.#handOver(this.#waiting.splice(0, batchMax));
      if (this.#waiting.length > 0) this.#schedule();
      return;
    }
    for (const one of this.#waiting.splice(0)) this.#readOne(one);
  }

  #readOne(one: Small) {
    try {
      const inspection = decodeEnvelope(one.bytes, inlineBytes);
      if (inspection.kind === "too_large") void this.#handOver([one]);
      else one.resolve(inspection);
    } catch (error) {
      // This runs in nobody's call: it would end the process.
      one.reject(error);
    }
  }

  async #handOver(batch: readonly Small[]): Promise<void> {
    try {
      const bytes = Buffer.concat(batch.map((one) => one.bytes));
      const lengths = batch.map((one) => one.bytes.length);
      const answer = await this.#many.ask(() =>
        Promise.resolve({ wanted: "inspections", bytes, lengths, most: smallBytes }),
      );
      for (const [i, inspection] of (JSON.parse(answer) as DecodedEnvelope[]).entries()) batch[i]?.resolve(inspection);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
