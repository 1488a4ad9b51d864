import { limits } from "../../../openapi/schema/limits.ts";
import {
  forgottenMilliseconds,
  longestSeconds,
  type PasswordThrottle,
  type PasswordTry,
  sharedKey,
  sharedMilliseconds,
  singleKey,
  tooManyTries,
} from "../../accounts/sign-in-throttle.ts";
import { hashOf } from "../../core/credential.ts";
import { Periodic } from "../../core/periodic.ts";
import { databaseNow, type Query } from "./connection.ts";

const sweepMilliseconds = 60_000;
/** Beyond so many accounts and groups, those that were tried least recently are forgotten. */
const keptMax = 100_000;

/** The rules of {@link SignInThrottle}, counted over all processes by the database's clock. */
export class SharedPasswordThrottle implements PasswordThrottle {
  readonly #query: Query;
  readonly #sweeping = new Periodic({
    turn: () => this.#sweep(),
    every: sweepMilliseconds,
    failed: "old tries of passwords were not removed and will be again",
  });

  constructor(query: Query) {
    this.#query = query;
  }

  start() {
    this.#sweeping.start();
  }

  stop(): Promise<void> {
    return this.#sweeping.stop();
  }

  async begin(tried: PasswordTry): Promise<void> {
    const { alone, shared } = idsOf(tried);
    const [row] = await this.#query<{ wait: number }>("select begin_password_try($1, $2, $3, $4, $5, $6, $7) as wait", [
      ...[alone, shared, limits.signInFailures, longestSeconds * 1_000, forgottenMilliseconds],
      ...[limits.sharedSignInFailures, sharedMilliseconds],
    ]);
    if (row && row.wait > 0) throw tooManyTries(row.wait);
  }

  failed(tried: PasswordTry): Promise<void> {
    return this.#note(`update password_try set latest = ${databaseNow} where id = $1`, idsOf(tried).alone);
  }

  async succeeded(tried: PasswordTry): Promise<void> {
    const { alone, shared } = idsOf(tried);
    await this.#note("delete from password_try where id = $1", alone);
    await this.#note(oneLess, shared);
  }

  async undo(tried: PasswordTry): Promise<void> {
    const { alone, shared } = idsOf(tried);
    await this.#note(oneLess, alone);
    await this.#note(oneLess, shared);
  }

  /**
   * A try that stays counted as a failure is no harm: the answer to it has been found. Uncounted twice, it would let
   * somebody guess once more.
   */
  async #note(sql: string, id: string | null): Promise<void> {
    if (id !== null) await this.#query(sql, [id], { once: true }).catch(() => {});
  }

  async #sweep(): Promise<void> {
    await this.#query(`delete from password_try where latest < ${databaseNow} - $1`, [forgottenMilliseconds]);
    await this.#query(
      "delete from password_try where id in (select id from password_try order by latest desc, id offset $1)",
      [keptMax],
    );
  }
}

const oneLess = "update password_try set failures = greatest(0, failures - 1) where id = $1";

/** Digests, so that the database has no list of addresses. */
function idsOf(tried: PasswordTry): { alone: string; shared: string | null } {
  return { alone: hashOf(singleKey(tried)), shared: tried.group === undefined ? null : hashOf(sharedKey(tried)) };
}
