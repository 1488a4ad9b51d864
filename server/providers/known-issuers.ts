import type { GuardedFetch } from "./guarded-fetch.ts";
import { discover, type Issuer } from "./oidc-client.ts";
import { ProviderFailed } from "./provider-failed.ts";

const freshMilliseconds = 600_000;
/** While a provider cannot be reached, what it said within a day still counts. */
const usableMilliseconds = 86_400_000;
/** A provider that failed is left alone for so long, however many people try to sign in. */
const pauseMilliseconds = 5_000;
/** More issuers than there can be providers: those of removed ones leave. */
const issuersMax = 40;

interface Known {
  issuer?: Issuer;
  at: number;
  failed?: ProviderFailed;
  failedAt: number;
  asking?: Promise<Issuer> | undefined;
}

/** The discovery documents of issuers, kept in memory. People who sign in at the same time share one question. */
export class KnownIssuers {
  readonly #known = new Map<string, Known>();
  readonly #network: GuardedFetch;
  readonly #now: () => number;

  /** `now`: milliseconds of a monotonic clock. */
  constructor(network: GuardedFetch, now = () => performance.now()) {
    this.#network = network;
    this.#now = now;
  }

  /** Throws {@link ProviderFailed}. `fresh` asks the provider in any case. */
  async of(issuer: string, { fresh = false }: { fresh?: boolean } = {}): Promise<Issuer> {
    const known = this.#entry(issuer);
    const age = this.#now() - known.at;
    if (!fresh && known.issuer && age < freshMilliseconds) return known.issuer;
    if (!fresh && known.failed && this.#now() - known.failedAt < pauseMilliseconds) return this.#former(known);
    known.asking ??= this.#ask(issuer, known);
    try {
      return await known.asking;
    } catch (error) {
      if (fresh) throw error;
      return this.#former(known);
    }
  }

  #former({ issuer, at, failed }: Known): Issuer {
    if (issuer && this.#now() - at < usableMilliseconds) return issuer;
    throw failed ?? new ProviderFailed("unreachable", "nothing is known of it");
  }

  async #ask(issuer: string, known: Known): Promise<Issuer> {
    try {
      known.issuer = await discover(issuer, this.#network);
      known.at = this.#now();
      delete known.failed;
      return known.issuer;
    } catch (error) {
      known.failed = error as ProviderFailed;
      known.failedAt = this.#now();
      throw error;
    } finally {
      known.asking = undefined;
    }
  }

  #entry(issuer: string): Known {
    const entry = this.#known.get(issuer) ?? { at: 0, failedAt: 0 };
    this.#known.delete(issuer);
    this.#known.set(issuer, entry);
    const [oldest] = this.#known.keys();
    if (this.#known.size > issuersMax && oldest !== undefined) this.#known.delete(oldest);
    return entry;
  }
}
