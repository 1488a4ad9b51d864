import { listOf, withListedIds } from "../core/listed-ids.ts";
import type { Step, Tx } from "../core/store.ts";

/** Titles that are known in memory; the oldest go first. */
const knownMax = 5_000;
/** New titles of one project that are stored in an hour; of a storm of titles the rest is only counted. */
const storedPerHour = 100;
const hourMilliseconds = 3_600_000;
/** Projects whose new titles of this hour are counted; beyond that all begin again. */
const projectsMax = 10_000;

/** A report that enters the index. */
interface IndexedReport {
  id: string;
  receivedAt: number;
  level: string | null;
  title: string | null;
}

interface Noted {
  /** How many titles were new and are stored now. */
  stored: number;
  /** The titles that have a row now. */
  known: readonly string[];
}

/**
 * Notes titles of fatal reports when they enter the index of reports, which each report does once: behind its answer, and
 * again after a crash. A title that was not seen before gets a row in `fatal_title`, which the notices read. A title that
 * is known costs a look into a set in memory.
 */
export class FatalTitles {
  readonly #known = new Set<string>();
  readonly #now: () => number;
  #hour = 0;
  #stored = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The titles among these reports that are not known in memory, each with its first report. */
  unknown(projectId: string, reports: readonly IndexedReport[]): Map<string, IndexedReport> {
    const unknown = new Map<string, IndexedReport>();
    for (const report of reports) {
      const { level, title } = report;
      if (level !== "fatal" || title === null || unknown.has(title)) continue;
      if (!this.#known.has(`${projectId} ${title}`)) unknown.set(title, report);
    }
    return unknown;
  }

  /** Stores those that are new, in the write that puts their reports into the index; {@link noted} wants what it returns. */
  *noteStep(tx: Tx, projectId: string, unknown: ReadonlyMap<string, IndexedReport>): Step<Noted> {
    if (unknown.size === 0) return { stored: 0, known: [] };
    const stored = yield* tx.all<{ title: string }>(selectStored, [listOf([...unknown.keys()]), projectId]);
    const seen = new Set(stored.map(({ title }) => title));
    const fresh = [...unknown].filter(([title]) => !seen.has(title));
    const room = Math.max(0, storedPerHour - this.#storedOf(projectId));
    const added = fresh.slice(0, room);
    for (const [title, { id, receivedAt }] of added) {
      yield* tx.run(
        `insert into fatal_title (project_id, title, event_id, at, noticed) values ($1, $2, $3, $4, 0)
         on conflict (project_id, title) do nothing`,
        [projectId, title, id, receivedAt],
      );
    }
    const rest = fresh.length - added.length;
    if (rest > 0) {
      yield* tx.run(
        `insert into fatal_title_more (project_id, count) values ($1, $2)
         on conflict (project_id) do update set count = fatal_title_more.count + excluded.count`,
        [projectId, rest],
      );
    }
    return { stored: added.length, known: [...seen, ...added.map(([title]) => title)] };
  }

  /** To be called once they are stored. */
  noted(projectId: string, { stored, known }: Noted) {
    if (stored > 0) this.#stored.set(projectId, this.#storedOf(projectId) + stored);
    for (const title of known) {
      if (this.#known.size >= knownMax) this.#known.delete(this.#known.values().next().value ?? "");
      this.#known.add(`${projectId} ${title}`);
    }
  }

  #storedOf(projectId: string): number {
    const hour = Math.floor(this.#now() / hourMilliseconds);
    if (hour !== this.#hour || this.#stored.size > projectsMax) {
      this.#hour = hour;
      this.#stored = new Map();
    }
    return this.#stored.get(projectId) ?? 0;
  }
}

const selectStored = withListedIds(
  (isListed) => `select title from fatal_title where title ${isListed} and project_id = $2`,
);
