import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "../core/context.ts";
import { RateLimited } from "../core/rate-limited.ts";
import type { Edge } from "./edge.ts";
import { readJson } from "./json-body.ts";
import { RateLimiter } from "./rate-limit.ts";

const bodyBytes = 16_384;
/** A body of some hundred bytes is there at once. */
const bodySeconds = 5;
const atOnceFromOne = 16;
/** In all: 8 MiB. */
const atOnce = 512;

/**
 * Bodies of people who are not signed in. They are small, have little time, and of one address so many may be under way
 * and so many a minute may come. When there are too many of all addresses, the oldest is given up for the new one: who
 * sends in earnest has sent everything long before it becomes the oldest, and who only holds places keeps nobody out.
 */
export class StrangerBodies {
  readonly #edge: Edge;
  readonly #limiter: RateLimiter | undefined;
  /** Oldest first. */
  readonly #underWay = new Map<AbortController, string>();
  readonly #from = new Map<string, number>();

  constructor(edge: Edge) {
    this.#edge = edge;
    this.#limiter = edge.limiter && new RateLimiter();
  }

  async read(request: Request, address: string): Promise<Record<string, unknown>> {
    const own = this.#from.get(address) ?? 0;
    if (own >= atOnceFromOne) throw tooMany();
    const verdict = this.#limiter?.take(address, limits.strangerCallsPerMinute);
    if (verdict && !verdict.admitted) {
      const { seconds } = verdict;
      throw new RateLimited("sign_ins", seconds, `Too many requests. The next one is possible in ${seconds} s.`);
    }
    if (this.#underWay.size >= atOnce) this.#giveUpOldest();
    const control = new AbortController();
    this.#underWay.set(control, address);
    this.#from.set(address, own + 1);
    try {
      return await readJson(this.#edge, request, bodyBytes, { seconds: bodySeconds, signal: control.signal });
    } finally {
      this.#remove(control);
    }
  }

  #giveUpOldest() {
    const [oldest] = this.#underWay.keys();
    if (!oldest) return;
    this.#remove(oldest);
    oldest.abort();
  }

  #remove(control: AbortController) {
    const address = this.#underWay.get(control);
    if (address === undefined) return;
    this.#underWay.delete(control);
    const left = (this.#from.get(address) ?? 0) - 1;
    if (left > 0) this.#from.set(address, left);
    else this.#from.delete(address);
  }
}

export function tooMany(): Refusal {
  return new Refusal("service_unavailable", "Too many people at once. Try again in a moment.");
}
