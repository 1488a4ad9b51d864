import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "../core/context.ts";
import { RateLimited } from "../core/rate-limited.ts";
import { type BodyPatience, readBody } from "./body.ts";
import type { Edge } from "./edge.ts";
import { readJson } from "./json-body.ts";
import { limitKeyOf } from "./source-address.ts";

const bodyBytesMax = 16_384;
/** Seconds in which the body has to arrive: a body of some hundred bytes arrives at once. */
const bodySeconds = 5;
/** Bodies that are read at the same time: 512 of at most 16 KiB are 8 MiB. */
const bodiesMax = 512;
const bodiesPerAddressMax = 16;
/** Calls that are answered at the same time, after their bodies were read. */
const runningMax = 64;
const runningPerAddressMax = 16;

/**
 * Limits what callers without a session can occupy: bodies are small and have little time, and each address may send
 * only a few at the same time and a limited number a minute. When too many bodies of all addresses are being read, the
 * oldest is aborted for the new one: an honest caller has sent its body long before that body is the oldest, and a
 * caller that only occupies places keeps nobody out.
 */
export class UnauthenticatedCalls {
  readonly #edge: Edge;
  /** The bodies that are being read, oldest first. */
  readonly #bodies = new Set<AbortController>();
  readonly #bodiesOf = new CountByAddress();
  readonly #runningOf = new CountByAddress();

  constructor(edge: Edge) {
    this.#edge = edge;
  }

  /**
   * Reads the body as a JSON object. Throws 429 beyond the address's calls a minute, 503 when too many bodies are being
   * read.
   */
  async readBody(request: Request): Promise<Record<string, unknown>> {
    const address = this.#addressOf(request);
    if (this.#bodiesOf.get(address) >= bodiesPerAddressMax) throw tooMany();
    // Counted before the limit is asked for, which may take a while: calls beyond these places use up no limit.
    this.#bodiesOf.add(address);
    try {
      const limiting = this.limit(address);
      if (limiting) await limiting;
      return await this.#read((patience) => readJson(this.#edge, request, bodyBytesMax, patience));
    } finally {
      this.#bodiesOf.remove(address);
    }
  }

  /**
   * Counts a call in the address's calls a minute, as reading its body does: for calls without one. Throws 429 beyond
   * them. Undefined when nothing has to be waited for.
   */
  limit(address: string): Promise<void> | undefined {
    const taken = this.#edge.limiters?.stranger.take(address, limits.strangerCallsPerMinute);
    const judge = (verdict: Awaited<typeof taken>) => {
      if (!verdict || verdict.admitted) return;
      const { seconds } = verdict;
      throw new RateLimited("sign_ins", seconds, `Too many requests. The next one is possible in ${seconds} s.`);
    };
    if (taken instanceof Promise) return taken.then(judge);
    judge(taken);
    return undefined;
  }

  /**
   * Reads the body of a call that a machine makes, which may have to make many at once: of the limits only those of all
   * addresses together hold.
   */
  readBytes(request: Request): Promise<Uint8Array> {
    return this.#read((patience) => readBody(this.#edge, request, bodyBytesMax, patience));
  }

  /** Runs `work` for a call whose body was read. Throws 503 when too many calls are being answered. */
  async run<T>(request: Request, work: () => Promise<T>): Promise<T> {
    const address = this.#addressOf(request);
    const ofAddress = this.#runningOf.get(address);
    if (this.#runningOf.total >= runningMax || ofAddress >= runningPerAddressMax) throw tooMany();
    this.#runningOf.add(address);
    try {
      return await work();
    } finally {
      this.#runningOf.remove(address);
    }
  }

  /** The key of the source address, by which limits count; empty without a socket. */
  #addressOf(request: Request): string {
    const source = this.#edge.sourceOf(request);
    return source === undefined ? "" : limitKeyOf(source);
  }

  async #read<T>(read: (patience: BodyPatience) => Promise<T>): Promise<T> {
    if (this.#bodies.size >= bodiesMax) this.#giveUpOldest();
    const control = new AbortController();
    this.#bodies.add(control);
    try {
      return await read({ seconds: bodySeconds, signal: control.signal });
    } finally {
      this.#bodies.delete(control);
    }
  }

  #giveUpOldest() {
    const [oldest] = this.#bodies;
    if (!oldest) return;
    this.#bodies.delete(oldest);
    oldest.abort();
  }
}

class CountByAddress {
  readonly #counts = new Map<string, number>();
  total = 0;

  get(address: string): number {
    return this.#counts.get(address) ?? 0;
  }

  add(address: string) {
    this.#counts.set(address, this.get(address) + 1);
    this.total++;
  }

  remove(address: string) {
    const left = this.get(address) - 1;
    if (left > 0) this.#counts.set(address, left);
    else this.#counts.delete(address);
    this.total--;
  }
}

function tooMany(): Refusal {
  return new Refusal("service_unavailable", "Too many people at once. Try again in a moment.");
}
