import { audit } from "../core/audit.ts";
import type { Context } from "../core/context.ts";

const spanMilliseconds = 60_000;
const objectsMax = 1_000;
const visitor = { kind: "visitor", name: "not signed in" } as const;

interface Failures {
  count: number;
  network: string | undefined;
}

type Known = Pick<Context, "store" | "newId" | "now" | "network" | "audited">;

/**
 * Failed sign-ins in the audit log: the first one of an account at once, those of the next minute as one entry with
 * their number, so that guessing fills no disk. What was typed is never kept: an address may be a password in the
 * wrong field.
 */
export class FailedSignIns {
  readonly #counts = new Map<string, Failures>();
  readonly #ctx: Known;
  #timer: Timer | undefined;

  constructor(ctx: Known) {
    this.#ctx = ctx;
  }

  add(memberId: string | undefined, { network }: Pick<Context, "network">) {
    const object = memberId === undefined ? "an unknown e-mail address" : `member ${memberId}`;
    const counted = this.#counts.get(object);
    if (counted) {
      counted.count++;
      counted.network = network;
      return;
    }
    if (this.#counts.size >= objectsMax) return;
    this.#counts.set(object, { count: 0, network });
    void this.#write(new Map([[object, { count: 1, network }]]));
    this.#timer ??= setTimeout(() => void this.flush(), spanMilliseconds);
    this.#timer.unref();
  }

  /** Writes what was counted. Never rejects: with storage that refuses, nobody signs in either. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const counts = new Map([...this.#counts].filter(([, { count }]) => count > 0));
    this.#counts.clear();
    await this.#write(counts);
  }

  async #write(counts: Map<string, Failures>): Promise<void> {
    const { store, now, newId, audited } = this.#ctx;
    const entries = [...counts].map(([object, failures]) => ({ id: newId(), object, ...failures }));
    await store
      .write(function* (tx) {
        for (const { id, object, count, network } of entries) {
          const ctx = { now, audited, actor: visitor, ...(network === undefined ? {} : { network }) };
          yield* audit(tx, ctx, id, "session.failed", object, count === 1 ? {} : { to: { times: count } });
        }
      })
      .catch(() => {});
  }
}
