import { type Limiter, type LimitKind, type Verdict, wholeSeconds } from "../../core/limiter.ts";
import { Periodic } from "../../core/periodic.ts";
import type { Row } from "../../core/store.ts";
import type { Parameter } from "./lane.ts";
import type { DatabaseObserver } from "./observer.ts";

type Query = (sql: string, params: readonly Parameter[], how?: { once?: boolean }) => Promise<Row[]>;

const admit = `select id, most, admitted, remaining, oldest_in, leaves_in, stamp
  from admit_requests($1::text[], $2::integer[], $3::integer[])`;
const sweepMilliseconds = 60_000;
const refusedMax = 100_000;

/** Requests of one id that wait to be counted together. */
interface Asked {
  id: string;
  limit: number;
  waiting: { resolve: (verdict: Verdict) => void; reject: (error: unknown) => void }[];
}

/**
 * Limits that all processes of an installation share. The requests of one turn of the event loop are counted by one
 * statement, by the database's clock. A refusal is remembered until its time is over and answered from here, so a flood
 * costs the database nothing. Room that another process gives back meanwhile is not noticed here before.
 */
export class SharedLimits {
  readonly #query: Query;
  readonly #now: () => number;
  readonly #observer: Pick<DatabaseObserver, "limited"> | undefined;
  readonly #refused = new Map<string, { limit: number; until: number }>();
  #asked = new Map<string, Asked>();
  readonly #sweeping = new Periodic({
    turn: () => this.#sweep(),
    every: sweepMilliseconds,
    failed: "old requests that limits had counted were not removed and will be again",
  });

  constructor(
    query: Query,
    {
      now = () => performance.now(),
      observer,
    }: { now?: () => number; observer?: Pick<DatabaseObserver, "limited"> } = {},
  ) {
    this.#query = query;
    this.#now = now;
    this.#observer = observer;
  }

  readonly of = (kind: LimitKind): Limiter => ({
    take: (id, limit) => this.#take(`${kind} ${id}`, limit),
    giveBack: async (id, { at }) => {
      this.#refused.delete(`${kind} ${id}`);
      // A request that stays counted is no harm; one that is uncounted twice makes room for one too many.
      const params = [`${kind} ${id}`, at];
      await this.#query("select give_back_request($1, $2) is null as done", params, { once: true }).catch(() => {});
    },
  });

  start() {
    this.#sweeping.start();
  }

  stop(): Promise<void> {
    return this.#sweeping.stop();
  }

  #take(id: string, limit: number): Verdict | Promise<Verdict> {
    const refused = this.#refused.get(id);
    if (refused?.limit === limit) {
      const left = refused.until - this.#now();
      if (left > 0) return { admitted: false, limit, remaining: 0, seconds: wholeSeconds(left), at: 0 };
      this.#refused.delete(id);
    }
    return new Promise((resolve, reject) => {
      if (this.#asked.size === 0) setImmediate(() => this.#ask());
      const key = `${limit} ${id}`;
      const asked = this.#asked.get(key) ?? { id, limit, waiting: [] };
      asked.waiting.push({ resolve, reject });
      this.#asked.set(key, asked);
    });
  }

  async #ask(): Promise<void> {
    const asked = this.#asked;
    this.#asked = new Map();
    const all = [...asked.values()];
    const began = performance.now();
    try {
      const rows = await this.#query(admit, [
        { array: all.map(({ id }) => id), type: "TEXT" },
        { array: all.map(({ waiting }) => waiting.length), type: "INTEGER" },
        { array: all.map(({ limit }) => limit), type: "INTEGER" },
      ]);
      const requests = all.reduce((sum, { waiting }) => sum + waiting.length, 0);
      this.#observer?.limited(requests, performance.now() - began);
      for (const row of rows) {
        const one = asked.get(`${row["most"]} ${row["id"]}`);
        if (one) this.#tell(one, row as unknown as Counted);
      }
    } catch (error) {
      for (const { waiting } of all) for (const { reject } of waiting) reject(error);
    }
  }

  /** The first ones of the waiting requests are those that were admitted. */
  #tell({ id, limit, waiting }: Asked, { admitted, remaining, oldest_in, leaves_in, stamp: at }: Counted) {
    for (const [place, { resolve }] of waiting.entries()) {
      const left = remaining + admitted - 1 - place;
      if (place < admitted) resolve({ admitted: true, limit, remaining: left, seconds: wholeSeconds(oldest_in), at });
      else resolve({ admitted: false, limit, remaining: 0, seconds: wholeSeconds(leaves_in), at });
    }
    if (admitted < waiting.length) this.#remember(id, limit, leaves_in);
  }

  #remember(id: string, limit: number, milliseconds: number) {
    if (this.#refused.size >= refusedMax) {
      const [oldest] = this.#refused.keys();
      if (oldest !== undefined) this.#refused.delete(oldest);
    }
    this.#refused.set(id, { limit, until: this.#now() + milliseconds });
  }

  async #sweep(): Promise<void> {
    for (const [id, { until }] of this.#refused) if (until < this.#now()) this.#refused.delete(id);
    await this.#query("delete from rate where seen_at < extract(epoch from clock_timestamp()) * 1000 - 120000", []);
  }
}

interface Counted {
  admitted: number;
  remaining: number;
  oldest_in: number;
  leaves_in: number;
  stamp: number;
}
