import { limits } from "../../openapi/schema/limits.ts";
import { RateLimited } from "../core/rate-limited.ts";
import { canonicalDigest } from "./canonical.ts";
import { type DecodedEnvelope, decodeEnvelope, isGzip, unpack } from "./decode-envelope.ts";
import { EnvelopeThread } from "./envelope-thread.ts";
import { ReadingTime } from "./reading-time.ts";
import { type ReportContents, readContents, readWords } from "./report-contents.ts";
import type { SearchWords } from "./search-words.ts";

/** The bytes of a part: in memory, or on disk and loaded when their turn has come. */
type Content = Uint8Array | { bytes(): Promise<Uint8Array> };

interface Small {
  bytes: Uint8Array;
  resolve: (decoded: DecodedEnvelope) => void;
  reject: (error: unknown) => void;
}

/** An envelope of at most this many unpacked bytes is read in the event loop, which takes 2 ms at worst. */
const inlineBytes = limits.uploadBytes / 2;
/** An envelope of at most this many unpacked bytes is read on a thread together with others. */
const smallBytes = limits.uploadBytes;
/** Reading an uncompressed envelope of this size takes less time than handing it to a thread. */
const lightBytes = 4_096;
/** From this many waiting envelopes on, reading them takes longer than handing them to a thread. */
const batchMin = 4;
const batchMax = 64;
const batchesAtOnce = 8;

/**
 * Reads envelopes without delaying other requests. A few small envelopes are read in the event loop, many are handed to a
 * thread together, and a large one goes to another thread, alone: no request waits for an envelope of 5 MiB. On that
 * thread the owners take turns, so that an owner of many large envelopes delays the others by one envelope at most.
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
   * Decodes the envelope of a report. `owner` is the SDK key that sent it. A large envelope is refused with 429 when
   * reading its owner's large envelopes has taken `maxMilliseconds` of processor time in the last 60 s.
   */
  async decodeEnvelope(
    content: Content,
    owner: string,
    maxMilliseconds = Number.POSITIVE_INFINITY,
  ): Promise<DecodedEnvelope> {
    if (!(content instanceof Uint8Array)) return this.#decodeLarge(() => content.bytes(), owner, maxMilliseconds);
    if (content.length > smallBytes) {
      return this.#decodeLarge(() => Promise.resolve(content), owner, maxMilliseconds);
    }
    if (content.length <= lightBytes && !isGzip(content)) return decodeEnvelope(content);
    const small = await new Promise<DecodedEnvelope>((resolve, reject) => {
      this.#waiting.push({ bytes: content, resolve, reject });
      this.#schedule();
    });
    return small.kind === "too_large"
      ? this.#decodeLarge(() => Promise.resolve(content), owner, maxMilliseconds)
      : small;
  }

  /** The canonical digest of a stored envelope; a large one within `maxMilliseconds`, as in {@link decodeEnvelope}. */
  async canonical(stored: Uint8Array, owner: string, maxMilliseconds = Number.POSITIVE_INFINITY): Promise<Uint8Array> {
    // A caller may ask for many digests in a row: other requests run in between.
    await new Promise(setImmediate);
    if (unpack(stored, inlineBytes) instanceof Uint8Array) return canonicalDigest(stored);
    const question = async () => {
      this.#requireTime(owner, maxMilliseconds);
      return { wanted: "canonical" as const, bytes: stored };
    };
    const hex = await this.#large.ask(question, owner, true);
    return Uint8Array.fromHex(hex);
  }

  /** The words by which search finds a stored envelope, beside those of its index. */
  words(stored: Uint8Array, owner: string): Promise<SearchWords> {
    return this.#read("words", stored, owner, readWords);
  }

  /** The contents of a stored envelope, for people. */
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

  /** Called when the envelope's turn has come: only then the time of the envelopes before it is known. */
  #requireTime(owner: string, maxMilliseconds: number) {
    const seconds = this.#readingTime.wait(owner, maxMilliseconds);
    if (seconds > 0) throw new RateLimited("reading", seconds);
  }

  async #decodeLarge(
    load: () => Promise<Uint8Array>,
    owner: string,
    maxMilliseconds: number,
  ): Promise<DecodedEnvelope> {
    const answer = await this.#large.ask(async () => {
      this.#requireTime(owner, maxMilliseconds);
      const bytes = await load();
      return { wanted: "decoded", bytes, lengths: [bytes.length], max: limits.envelopeBytes };
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
      const decoded = decodeEnvelope(one.bytes, inlineBytes);
      if (decoded.kind === "too_large") void this.#handOver([one]);
      else one.resolve(decoded);
    } catch (error) {
      // This runs in a timer: an error that is thrown here would end the process.
      one.reject(error);
    }
  }

  async #handOver(batch: readonly Small[]): Promise<void> {
    try {
      const bytes = Buffer.concat(batch.map((one) => one.bytes));
      const lengths = batch.map((one) => one.bytes.length);
      const answer = await this.#many.ask(() =>
        Promise.resolve({ wanted: "decoded", bytes, lengths, max: smallBytes }),
      );
      for (const [i, decoded] of (JSON.parse(answer) as DecodedEnvelope[]).entries()) batch[i]?.resolve(decoded);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
