import { limits } from "../../openapi/schema/limits.ts";
import { RateLimited } from "../core/rate-limited.ts";

export const longestSeconds = 300;
/** An account without a failure for this long starts again with none. */
export const forgottenMilliseconds = 3_600_000;
/** How long it takes until one of the failures that many addresses share is forgotten. */
export const sharedMilliseconds = 60_000 / limits.sharedSignInFailuresPerMinute;

/** A try of a password: the account, and where the try comes from. */
export interface PasswordTry {
  account: string;
  /** The source address, or the session that confirms its password. */
  from: string;
  /**
   * The addresses that share a second limit with this one, so that guessing from many addresses is slowed down too: the
   * one network from which the account has signed in, or all networks from which it has not. Undefined for a session.
   */
  group: string | undefined;
}

/** Slows down guessing of passwords; see {@link SignInThrottle}. */
export interface PasswordThrottle {
  /**
   * Called before the password is checked. Throws while the account has to wait. The try counts as a failure until
   * `succeeded` is called, so that tries at the same time are limited too.
   */
  begin(tried: PasswordTry): void | Promise<void>;
  /** Called when the password was wrong. The wait begins now, however long the check took. */
  failed(tried: PasswordTry): void | Promise<void>;
  succeeded(tried: PasswordTry): void | Promise<void>;
  /** Called when the password was not checked after all: the try does not count. */
  undo(tried: PasswordTry): void | Promise<void>;
}

interface Tries {
  failures: number;
  latest: number;
}

/**
 * Slows down guessing of one account's password. From one address five failures are free; each further try waits 2, 4,
 * 8 … seconds, at most five minutes. In addition, all addresses of a group share 100 failures, of which six a minute
 * are forgotten. A guesser can delay tries from the same address and, with many addresses, tries from unknown networks,
 * but never tries from a network that the account has signed in from, nor an open session. Nobody is ever locked out.
 * Accounts that do not exist are treated alike, because different waits would reveal which accounts exist.
 */
export class SignInThrottle implements PasswordThrottle {
  readonly #single: RecentTries;
  readonly #shared: RecentTries;
  readonly #now: () => number;

  constructor({ now = () => performance.now(), accountsMax = 50_000 } = {}) {
    this.#now = now;
    this.#single = new RecentTries(accountsMax);
    this.#shared = new RecentTries(accountsMax);
  }

  begin(tried: PasswordTry) {
    const now = this.#now();
    const { single, shared } = this.#known(tried, now);
    const until = Math.max(
      single.latest + waitSeconds(single.failures) * 1_000,
      now + (shared.failures + 1 - limits.sharedSignInFailures) * sharedMilliseconds,
    );
    if (until > now) {
      // A refused try keeps its group from being forgotten: otherwise tries at many other accounts would push the group
      // out, and its failures would start again at none.
      if (tried.group !== undefined) this.#shared.keep(sharedKey(tried));
      throw tooManyTries(until - now);
    }
    this.#single.set(singleKey(tried), { failures: single.failures + 1, latest: now });
    if (tried.group !== undefined) this.#shared.set(sharedKey(tried), { failures: shared.failures + 1, latest: now });
  }

  failed(tried: PasswordTry) {
    const tries = this.#single.get(singleKey(tried));
    if (tries) tries.latest = this.#now();
  }

  succeeded(tried: PasswordTry) {
    this.#single.delete(singleKey(tried));
    this.#giveBackShared(tried);
  }

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

/** The refusal of a try that comes too early. */
export function tooManyTries(milliseconds: number): RateLimited {
  const seconds = Math.ceil(milliseconds / 1_000);
  return new RateLimited("account", seconds, `Too many tries. The next one is possible in ${seconds} s.`);
}

/** The least recently tried come first; beyond the limit they are forgotten. */
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

  /** Marks an entry as the most recently tried, with its failures unchanged. */
  keep(key: string) {
    const tries = this.#tries.get(key);
    if (tries) this.set(key, tries);
  }

  delete(key: string) {
    this.#tries.delete(key);
  }
}

export function singleKey({ account, from }: PasswordTry): string {
  return `${account} ${from}`;
}

export function sharedKey({ account, group }: PasswordTry): string {
  return `${account} ${group}`;
}

function waitSeconds(failures: number): number {
  if (failures < limits.signInFailures) return 0;
  return Math.min(longestSeconds, 2 ** (failures - limits.signInFailures + 1));
}
