import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "../core/context.ts";
import { RateLimited } from "../core/rate-limited.ts";
import type { Edge } from "./edge.ts";
import { readJson } from "./json-body.ts";
import { RateLimiter } from "./rate-limit.ts";
import { limitKeyOf } from "./source-address.ts";

const bodyBytesMax = 16_384;
/** A body of some hundred bytes is there at once. */
const bodySeconds = 5;
/** Bodies that are being read: 512 of at most 16 KiB are 8 MiB. */
const bodiesMax = 512;
const bodiesPerAddressMax = 16;
/** Calls that are being answered, their bodies read. */
const runningMax = 64;
const runningPerAddressMax = 16;

/**
 * Bounds what people who are not signed in can take up: their bodies are small and have little time, and one address
 * may send a few at once and so many a minute. When too many bodies of all addresses are being read, the oldest is given
 * up for the new one: an honest sender has sent everything long before its body is the oldest, and a sender that only
 * holds places keeps nobody out.
 */
export class UnauthenticatedCalls {
  readonly #edge: Edge;
  readonly #limiter: RateLimiter | undefined;
  /** Oldest first; each with the address that sends it. */
  readonly #bodies = new Map<AbortController, string>();
  readonly #bodiesOf = new CountByAddress();
  readonly #runningOf = new CountByAddress();

  constructor(edge: Edge) {
    this.#edge = edge;
    this.#limiter = edge.limiter && new RateLimiter();
  }

  /**
   * Reads the body as a JSON object. Throws 429 beyond the calls a minute of its address, 503 when too many are read.
   */
  async readBody(request: Request): Promise<Record<string, unknown>> {
    const address = this.#addressOf(request);
    if (this.#bodiesOf.get(address) >= bodiesPerAddressMax) throw tooMany();
    const verdict = this.#limiter?.take(address, limits.strangerCallsPerMinute);
    if (verdict && !verdict.admitted) {
      const { seconds } = verdict;
      throw new RateLimited("sign_ins", seconds, `Too many requests. The next one is possible in ${seconds} s.`);
    }
    if (this.#bodies.size >= bodiesMax) this.#giveUpOldest();
    const control = new AbortController();
    this.#bodies.set(control, address);
    this.#bodiesOf.add(address);
    try {
      return await readJson(this.#edge, request, bodyBytesMax, { seconds: bodySeconds, signal: control.signal });
    } finally {
      this.#remove(control);
    }
  }

  /** Answers a call whose body was read. Throws 503 when too many are being answered. */
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

  /** Empty without a socket. */
  #addressOf(request: Request): string {
    const source = this.#edge.sourceOf(request);
    return source === undefined ? "" : limitKeyOf(source);
  }

  #giveUpOldest() {
    const [oldest] = this.#bodies.keys();
    if (!oldest) return;
    this.#remove(oldest);
    oldest.abort();
  }

  #remove(control: AbortController) {
    const address = this.#bodies.get(control);
    if (address === undefined) return;
    this.#bodies.delete(control);
    this.#bodiesOf.remove(address);
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
