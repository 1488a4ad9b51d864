import { limits } from "../../openapi/schema/limits.ts";
import { RateLimited } from "./rate-limited.ts";

const longestSeconds = 300;
/** After so long without a failure an account starts afresh. */
const forgottenMilliseconds = 3_600_000;

interface Tries {
  failures: number;
  latest: number;
}

/**
 * Slows down guessing at one account: after five failures each further try has to wait 2, 4, 8 … seconds, at most five
 * minutes. Nobody is ever locked out. Addresses without an account are treated alike, or the wait would tell them apart.
 */
export class SignInThrottle {
  /** Least recently tried first. */
  readonly #accounts = new Map<string, Tries>();
  readonly #now: () => number;
  readonly #accountsMax: number;

  constructor({ now = () => performance.now(), accountsMax = 50_000 } = {}) {
    this.#now = now;
    this.#accountsMax = accountsMax;
  }

  /** Before the password is looked at. Counts as a failure until {@link succeeded}, so that many at once are many. */
  begin(account: string) {
    const now = this.#now();
    const known = this.#accounts.get(account);
    const before = known && now - known.latest < forgottenMilliseconds ? known : { failures: 0, latest: now };
    const until = before.latest + waitSeconds(before.failures) * 1_000;
    if (until > now) {
      const seconds = Math.ceil((until - now) / 1_000);
      throw new RateLimited("account", seconds, `Too many tries. The next one is possible in ${seconds} s.`);
    }
    this.#accounts.delete(account);
    if (this.#accounts.size >= this.#accountsMax) {
      const [idle] = this.#accounts.keys();
      if (idle !== undefined) this.#accounts.delete(idle);
    }
    this.#accounts.set(account, { failures: before.failures + 1, latest: now });
  }

  /** The wait begins when the password was looked at, however long that took. */
  failed(account: string) {
    const tries = this.#accounts.get(account);
    if (tries) tries.latest = this.#now();
  }

  succeeded(account: string) {
    this.#accounts.delete(account);
  }

  /** The password was not looked at after all. */
  undo(account: string) {
    const tries = this.#accounts.get(account);
    if (tries) tries.failures = Math.max(0, tries.failures - 1);
  }
}

function waitSeconds(failures: number): number {
  if (failures < limits.signInFailures) return 0;
  return Math.min(longestSeconds, 2 ** (failures - limits.signInFailures + 1));
}
