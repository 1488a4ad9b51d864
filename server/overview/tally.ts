import type { Cutoff } from "../core/cutoff.ts";
import { highest } from "../core/page.ts";
import { Periodic } from "../core/periodic.ts";
import { withProjectUsage } from "../core/project-usage.ts";
import type { Step, Store, Tx } from "../core/store.ts";

/** What is counted over time; each comment says what the labels of the series are. */
export type Series =
  /** Reports that were stored, by level; `none` without one. */
  | "report"
  | "repeat"
  /** Requests that were refused, by API and code; without a project where none was known. */
  | "refused"
  /** By token: tickets that were made, replays, and replays whose body was another. */
  | "ticket"
  | "replay"
  | "mismatch"
  /** Requests of a token that were refused because of the token, by token; without a project. */
  | "token_refused"
  | "delivered"
  | "dead"
  /** Requests to subscribers, by `accepted` and `failed`. */
  | "attempt"
  /** First attempts, by the time from the report's receipt to them; see {@link latencyLabel}. */
  | "first_post"
  /** Not a count: what the project kept at the start of the hour, in bytes. */
  | "kept";

/** Lengths of buckets, in milliseconds; the short ones are kept for little more than a day. */
export const steps = { short: 300_000, long: 3_600_000 } as const;

const flushMilliseconds = 1_000;
const sweepMilliseconds = 3_600_000;
const dayMilliseconds = 86_400_000;
const shortDays = 1.1;
const longDays = 400;
/** Labels of one project and series in one bucket; further ones are counted as `other`. */
const labelsMax = 200;
/** Counts that wait in memory while storage refuses; further ones are lost. */
const waitingMax = 20_000;
/** Counters that are written in one transaction, which takes some 2 ms. */
const chunk = 100;
/** While tickets never stop coming, counts wait so long to be written. */
const withinMilliseconds = 1_000;

interface Counter {
  projectId: string;
  series: Series;
  label: string;
  at: number;
  count: number;
}

/**
 * Counts for charts: in memory, and written once a second, so that no request pays for a chart. A crash loses what was
 * counted since; the reports and tickets themselves are never counted here alone.
 */
export class Tally {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #cutoff: Cutoff;
  #waiting = new Map<string, Counter>();
  readonly #labels = new Map<string, Set<string>>();
  #labelsAt = 0;
  readonly #flushing = new Periodic({
    turn: () => this.#write(),
    every: flushMilliseconds,
    failed: "counts for charts could not be written and will be tried again",
  });
  /** Removes what is kept no longer: one process does it for all that use the store. */
  readonly sweeping = new Periodic({
    turn: () => this.sweep(),
    every: sweepMilliseconds,
    failed: "old counts for charts were not removed",
  });
  #hour = 0;

  constructor({ store, now, cutoff }: { store: Store; now: () => number; cutoff: Cutoff }) {
    this.#store = store;
    this.#now = now;
    this.#cutoff = cutoff;
  }

  start() {
    this.#flushing.start();
  }

  count(projectId: string, series: Series, label = "", count = 1) {
    const at = bucketOf(this.#now(), steps.short);
    const counter = this.#waiting.get(`${projectId} ${series} ${label} ${at}`);
    if (counter) counter.count += count;
    else this.#begin({ projectId, series, label: this.#labelOf(projectId, series, label, at), at, count });
  }

  #begin(counter: Counter) {
    const { projectId, series, label, at, count } = counter;
    const key = `${projectId} ${series} ${label} ${at}`;
    const other = this.#waiting.get(key);
    if (other) other.count += count;
    else if (this.#waiting.size < waitingMax) this.#waiting.set(key, counter);
  }

  /** Writes what was counted; what cannot be written now waits. Never rejects. */
  flush(): Promise<void> {
    return this.#flushing.wake();
  }

  async stop(): Promise<void> {
    await this.flush();
    await this.#flushing.stop();
  }

  /** Removes buckets that are kept no longer, and those of projects that are gone. */
  async sweep(): Promise<void> {
    for await (const id of this.#counted()) {
      const gone = id !== "" && !(await this.#store.one("select id from project where id = $1", [id]));
      const old = [
        { step: steps.short, before: gone ? highest : this.#cutoff(shortDays * dayMilliseconds) },
        { step: steps.long, before: gone ? highest : this.#cutoff(longDays * dayMilliseconds) },
      ];
      for (const { step, before } of old) {
        await this.#store.write((tx) =>
          tx.run("delete from tally where project_id = $1 and step = $2 and at < $3", [id, step, before]),
        );
      }
    }
  }

  /** Projects that have counts: from one to the next, not through all of them. */
  async *#counted(): AsyncGenerator<string> {
    let [row] = await this.#store.all<{ id: string | null }>("select min(project_id) as id from tally");
    while (row && row.id !== null) {
      yield row.id;
      const next = "select min(project_id) as id from tally where project_id > $1";
      [row] = await this.#store.all<{ id: string | null }>(next, [row.id]);
    }
  }

  /** Labels come from outside, as tokens do: in one bucket there are so many and no more. */
  #labelOf(projectId: string, series: Series, label: string, at: number): string {
    if (label === "") return label;
    if (at !== this.#labelsAt) {
      this.#labels.clear();
      this.#labelsAt = at;
    }
    const key = `${projectId} ${series}`;
    const seen = this.#labels.get(key) ?? new Set();
    if (!seen.has(label) && seen.size >= labelsMax) return "other";
    this.#labels.set(key, seen.add(label));
    return label;
  }

  async #write(): Promise<void> {
    const hour = bucketOf(this.#now(), steps.long);
    const noteKept = hour !== this.#hour;
    const counters = [...this.#waiting.values()];
    if (counters.length === 0 && !noteKept) return;
    this.#waiting = new Map();
    try {
      while (counters.length > 0) {
        const some = counters.slice(0, chunk);
        await this.#store.writeDerived((tx) => addStep(tx, some), { within: withinMilliseconds });
        counters.splice(0, chunk);
      }
      if (noteKept) await this.#store.write((tx) => keptStep(tx, hour));
      this.#hour = hour;
    } catch (error) {
      for (const { projectId, series, label, at, count } of counters) {
        const key = `${projectId} ${series} ${label} ${at}`;
        const newer = this.#waiting.get(key)?.count ?? 0;
        this.#waiting.set(key, { projectId, series, label, at, count: count + newer });
      }
      throw error;
    }
  }
}

export function bucketOf(time: number, step: number): number {
  return Math.floor(time / step) * step;
}

function* addStep(tx: Tx, counters: readonly Counter[]): Step<void> {
  for (const { projectId, series, label, at, count } of counters) {
    for (const step of [steps.short, steps.long]) {
      yield* tx.run(
        `insert into tally (project_id, step, at, series, label, count) values ($1, $2, $3, $4, $5, $6)
         on conflict (project_id, step, at, series, label) do update set count = tally.count + excluded.count`,
        [projectId, step, bucketOf(at, step), series, label, count],
      );
    }
  }
}

/** Tells how fast what is kept grows, whatever was added and let go of in between. */
function* keptStep(tx: Tx, hour: number): Step<void> {
  yield* tx.run(insertKept, [steps.long, hour]);
}

const insertKept = withProjectUsage(
  (usage) => `insert into tally (project_id, step, at, series, label, count)
    select project_id, $1, $2, 'kept', '', bytes from ${usage} where true
    on conflict (project_id, step, at, series, label) do nothing`,
);
