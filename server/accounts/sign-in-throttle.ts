import { limits } from "../../openapi/schema/limits.ts";
import { RateLimited } from "../core/rate-limited.ts";

const longestSeconds = 300;
/** After so long without a failure an account starts afresh. */
const forgottenMilliseconds = 3_600_000;
/** How soon one of the tries that many addresses share is free again. */
const sharedMilliseconds = 60_000 / limits.sharedSignInFailuresPerMinute;

/** Who tries a password, and from where. */
export interface PasswordTry {
  account: string;
  /** The source address, or the session that confirms its password. */
  from: string;
  /**
   * Whom this address shares a second bound with, so that many addresses are no way round the first: one network from
   * which the account has signed in, or all those from which it has not. Undefined for a session.
   */
  group: string | undefined;
}

interface Tries {
  failures: number;
  latest: number;
}

/**
 * Slows down guessing at one account. From one address five failures are free, then each further try waits 2, 4, 8 …
 * seconds, at most five minutes. Beside that, all addresses of a group share 100 failures, of which six a minute come
 * back. Whoever guesses holds up the tries of the same address and, with many addresses, of strangers, but never
 * whoever comes from a network that the account has signed in from, nor an open session. Nobody is ever locked out.
 * Accounts that do not exist are treated alike, or the wait would tell them apart.
 */
export class SignInThrottle {
  readonly #single: RecentTries;
  readonly #shared: RecentTries;
  readonly #now: () => number;

  constructor({ now = () => performance.now(), accountsMax = 50_000 } = {}) {
    this.#now = now;
    this.#single = new RecentTries(accountsMax);
    this.#shared = new RecentTries(accountsMax);
  }

  /** Before the password is looked at. Counts as a failure until {@link succeeded}, so that many at once are many. */
  begin(tried: PasswordTry) {
    const now = this.#now();
    const { single, shared } = this.#known(tried, now);
    const until = Math.max(
      single.latest + waitSeconds(single.failures) * 1_000,
      now + (shared.failures + 1 - limits.sharedSignInFailures) * sharedMilliseconds,
    );
    if (until > now) {
      // Or tries at many other accounts would push it out, and whoever is refused here could begin anew.
      if (tried.group !== undefined) this.#shared.keep(sharedKey(tried));
      const seconds = Math.ceil((until - now) / 1_000);
      throw new RateLimited("account", seconds, `Too many tries. The next one is possible in ${seconds} s.`);
    }
    this.#single.set(singleKey(tried), { failures: single.failures + 1, latest: now });
    if (tried.group !== undefined) this.#shared.set(sharedKey(tried), { failures: shared.failures + 1, latest: now });
  }

  /** The wait begins when the password was looked at, however long that took. */
  failed(tried: PasswordTry) {
    const tries = this.#single.get(singleKey(tried));
    if (tries) tries.latest = this.#now();
  }

  succeeded(tried: PasswordTry) {
    this.#single.delete(singleKey(tried));
    this.#giveBackShared(tried);
  }

  /** The password was not looked at after all. */
  undo(tried: PasswordTry) {
    const tries = this.#single.get(singleKey(tried));
    if (tries) tries.failures = Math.max(0, tries.failures - 1);
    this.#giveBackShared(tried);
  }

  #known(tried: PasswordTry, now: number): { single: Tries; shared: Tries } {
    const single = this.#single.get(singleKey(tried));
    const shared = tried.group === undefined ? undefined : this.#shared.get(sharedKey(tried));
    const cameBack = shared ? (now - shared.latest) / sharedMilliseconds : 0;
    return {
      single: single && now - single.latest < forgottenMilliseconds ? single : { failures: 0, latest: now },
      shared: { failures: Math.max(0, (shared?.failures ?? 0) - cameBack), latest: now },
    };
  }

  #giveBackShared(tried: PasswordTry) {
    const shared = this.#shared.get(sharedKey(tried));
    if (shared && tried.group !== undefined) shared.failures = Math.max(0, shared.failures - 1);
  }
}

/** Least recently tried first; beyond the bound those go. */
class RecentTries {
  readonly #tries = new Map<string, Tries>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  get(key: string): Tries | undefined {
    return this.#tries.get(key);
  }

  set(key: string, tries: Tries) {
    this.#tries.delete(key);
    if (this.#tries.size >= this.#max) {
      const [idle] = this.#tries.keys();
      if (idle !== undefined) this.#tries.delete(idle);
    }
    this.#tries.set(key, tries);
  }

  /** Counts as tried at this moment, with what it has. */
  keep(key: string) {
    const tries = this.#tries.get(key);
    if (tries) this.set(key, tries);
  }

  delete(key: string) {
    this.#tries.delete(key);
  }
}

function singleKey({ account, from }: PasswordTry): string {
  return `${account} ${from}`;
}

function sharedKey({ account, group }: PasswordTry): string {
  return `${account} ${group}`;
}

function waitSeconds(failures: number): number {
  if (failures < limits.signInFailures) return 0;
  return Math.min(longestSeconds, 2 ** (failures - limits.signInFailures + 1));
}
