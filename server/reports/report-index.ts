import { listOf, withListedIds } from "../core/listed-ids.ts";
import { Periodic } from "../core/periodic.ts";
import { SliceSize } from "../core/slice-size.ts";
import type { Sql, Step, Store, Tx } from "../core/store.ts";
import type { EventRow } from "../envelope/event-row.ts";
import type { SearchWords } from "../envelope/search-words.ts";
import { tagsOf } from "../ingest/event-view.ts";
import { FatalTitles } from "./fatal-titles.ts";
import { RememberedWords } from "./remembered-words.ts";
import { firstNumberOf, numbersOfMillisecond } from "./report-number.ts";
import { facetTerm, tagTerm } from "./report-terms.ts";
import { indexedWords, readSearchWords, type WordReader } from "./report-words.ts";

const tickMilliseconds = 250;
const leftMilliseconds = 10_000;
/** Reports that one write indexes. */
const slice = { milliseconds: 2, min: 4, max: 120 } as const;
/** While reports and tickets never stop coming, a slice waits so long: less when more reports wait than one takes. */
const withinMilliseconds = { usual: 500, crowded: 100 } as const;
/**
 * A report is stored at most this long after its time of receipt, unless {@link ReportIndex.added} announces it later.
 */
const lateMilliseconds = 5_000;

interface Tools {
  store: Store;
  reader: WordReader;
  now: () => number;
}

interface Waiting {
  /**
   * The earliest time of receipt of a report that this process has stored and that has no entry; infinite while only late
   * reports could still come.
   */
  since: number;
  /** The latest time of receipt among the reports that wait. */
  newest: number;
  /** False while nothing new waits and only late reports could still come. */
  fresh: boolean;
}

/**
 * Fills the search index after reports are stored: no report waits for the index, and none is missing from it in the
 * end. How far the index has come is written in the same transaction as its entries, so a restart continues from there.
 */
export class ReportIndex {
  readonly #tools: Tools;
  readonly #waiting = new Map<string, Waiting>();
  readonly #fatal: FatalTitles;
  readonly #remembered = new RememberedWords();
  readonly #slice = new SliceSize(slice);
  /**
   * Looks for reports that a process which has ended left without an entry. Each process indexes the reports that it has
   * stored, whose words it knows; one of them looks for those of all.
   */
  readonly leftovers = new Periodic({
    turn: () => this.#findLeft(),
    every: leftMilliseconds,
    failed: "reports that another process has left could not be indexed and will be tried again",
  });
  readonly #indexing = new Periodic({
    turn: () => this.#turn(),
    every: tickMilliseconds,
    failed: "reports could not be indexed and will be tried again",
  });

  constructor(tools: Tools) {
    this.#tools = tools;
    this.#fatal = new FatalTitles(tools.now);
  }

  /** Looks for reports that an earlier process left without an entry, and goes on until stopped. */
  async start(): Promise<void> {
    for (const { id } of await this.#tools.store.all<{ id: string }>("select id from project")) {
      this.#wait(id, { since: (await this.#until(id)) + 1 });
    }
    this.#indexing.start();
  }

  /** Called after a report was stored, with its time of receipt. */
  added(projectId: string, receivedAt: number) {
    this.#wait(projectId, { since: receivedAt, newest: receivedAt });
  }

  /** Called with the words of a report that {@link added} announces, so that its envelope is not read for them. */
  remember(eventId: string, words: SearchWords) {
    this.#remembered.add(eventId, words);
  }

  stop(): Promise<void> {
    return this.#indexing.stop();
  }

  /**
   * Reports that are not in the index yet, of one project or of all, counted up to `max` among the newest ones. While
   * nothing waits, nothing is read.
   */
  async behind(max: number, project?: string): Promise<number> {
    const { store } = this.#tools;
    // Other processes store reports too, and index them themselves.
    if (store.engine === "postgres") {
      const params = project === undefined ? [max] : [max, project];
      return (await store.one<{ count: number }>(countBehind(project !== undefined), params))?.count ?? 0;
    }
    let behind = 0;
    for (const [projectId, { fresh, since }] of this.#waiting) {
      if (!fresh || behind >= max || (project !== undefined && projectId !== project)) continue;
      const row = await store.one<{ count: number }>(
        `select cast(count(*) as integer) as count from (
           select e.id from event e where e.project_id = $1 and e.received_at > $2
           order by e.received_at desc, e.id desc limit ${max - behind}) newest
         where not exists (select 1 from report_number n where n.event_id = newest.id)`,
        [projectId, Math.min(await this.#until(projectId), since - 1)],
      );
      behind += row?.count ?? 0;
    }
    return behind;
  }

  /** Resolves when every stored report is in the index. */
  async finish(): Promise<void> {
    while (!this.#indexing.stopped && [...this.#waiting.values()].some(({ fresh }) => fresh)) {
      await this.#indexing.wake();
    }
  }

  async #findLeft(): Promise<void> {
    const left = await this.#tools.store.all<{ id: string; until: number }>(selectLeft, [
      this.#tools.now() - lateMilliseconds,
    ]);
    for (const { id, until } of left) this.#wait(id, { since: until + 1 });
  }

  #wait(projectId: string, { since = Number.POSITIVE_INFINITY, newest = 0, fresh = true }: Partial<Waiting>) {
    const known = this.#waiting.get(projectId);
    this.#waiting.set(projectId, {
      since: Math.min(since, known?.since ?? since),
      newest: Math.max(newest, known?.newest ?? newest),
      fresh: fresh || (known?.fresh ?? false),
    });
  }

  /** Indexes a slice of each project that has reports waiting, and further ones of those that have more. */
  async #turn(): Promise<void> {
    let more: boolean;
    do {
      more = false;
      for (const [projectId, waiting] of [...this.#waiting]) {
        if (this.#indexing.stopped) return;
        // A report with an earlier time of receipt may still be stored within this time.
        const settled = this.#tools.now() - lateMilliseconds;
        if (!waiting.fresh && settled < waiting.newest) continue;
        this.#waiting.delete(projectId);
        try {
          if (await this.#indexSome(projectId, waiting, { batch: this.#slice.size, settled })) more = true;
        } catch (error) {
          this.#wait(projectId, waiting);
          throw error;
        }
      }
    } while (more);
    if (![...this.#waiting.values()].some(({ fresh }) => fresh)) this.#remembered.clear();
  }

  /** Returns whether the project certainly has more. */
  async #indexSome(
    projectId: string,
    waiting: Waiting,
    { batch, settled }: { batch: number; settled: number },
  ): Promise<boolean> {
    const { store } = this.#tools;
    const before = await this.#until(projectId);
    // To look at everything again takes long, so it is done every few seconds: only then the index is said to be complete.
    const whole = settled > before + lateMilliseconds || !Number.isFinite(waiting.since);
    const after = whole ? Math.min(before, waiting.since - 1) : waiting.since - 1;
    const events = await store.all<UnindexedRow>(selectUnindexed, [projectId, after, batch]);
    const remembered = new Map(events.map(({ id }) => [id, this.#remembered.take(id)]));
    const forgotten = events.filter(({ id }) => remembered.get(id) === undefined);
    const read = await readSearchWords(store, this.#tools.reader, forgotten);
    const entries = events.map((event) => entryOf(event, remembered.get(event.id) ?? read.get(event.id)));
    const last = events.at(-1)?.received_at ?? 0;
    const more = events.length === batch;
    const until = whole ? Math.max(before, more ? Math.min(settled, last - 1) : settled) : before;
    if (entries.length > 0 || until > before + lateMilliseconds || until >= waiting.newest) {
      const fatal = this.#fatal;
      const { value, milliseconds } = await store.writeDerived(
        function* (tx) {
          const numbered = yield* writeStep(tx, projectId, entries, until > before ? until : undefined);
          return yield* fatal.noteStep(tx, projectId, fatal.unknown(projectId, numbered));
        },
        {
          within: more ? withinMilliseconds.crowded : withinMilliseconds.usual,
        },
      );
      fatal.noted(projectId, value);
      if (entries.length > 0) this.#slice.took(milliseconds, entries.length);
    }
    const newest = Math.max(last, waiting.newest);
    if (more || until < newest) this.#wait(projectId, { ...(more ? { since: last } : {}), newest, fresh: more });
    return more;
  }

  /** The time of receipt up to which every report of a project is in the index. */
  async #until(projectId: string): Promise<number> {
    const sql = "select until from report_indexed where project_id = $1";
    return (await this.#tools.store.one<{ until: number }>(sql, [projectId]))?.until ?? -1;
  }
}

function entryOf(event: UnindexedRow, read: SearchWords | undefined): Entry {
  const facets = [facetTerm("project", event.project_id), facetTerm("key", event.key_id)];
  for (const [facet, column] of columns) {
    const value = event[column];
    if (typeof value === "string") facets.push(facetTerm(facet, value));
  }
  for (const [name, value] of Object.entries(tagsOf(event))) facets.push(tagTerm(name, value));
  if (event.attachments > 0) facets.push(facetTerm("has", "attachment"));
  if (event.warnings !== null) facets.push(facetTerm("has", "warning"));
  if (read?.dropped) facets.push(facetTerm("has", "dropped"));
  const { id, level, title, received_at: receivedAt } = event;
  return { id, level, title, receivedAt, terms: [...facets, ...indexedWords(event, read)].join(" ") };
}

interface Entry {
  id: string;
  level: string | null;
  title: string | null;
  receivedAt: number;
  terms: string;
}

type UnnumberedRow = { id: string; last: number | null };

type UnindexedRow = Pick<
  EventRow,
  | ("id" | "project_id" | "key_id" | "level" | "type" | "title" | "environment" | "release" | "user_id")
  | ("user_email" | "tags" | "warnings" | "received_at" | "envelope_bytes")
> & { attachments: number };

const columns = [
  ["level", "level"],
  ["type", "type"],
  ["env", "environment"],
  ["release", "release"],
  ["user.id", "user_id"],
  ["user.email", "user_email"],
] as const;

const selectLeft = `select p.id, coalesce(i.until, -1) as until
  from project p left join report_indexed i on i.project_id = p.id
  where exists (select 1 from event e
    where e.project_id = p.id and e.received_at > coalesce(i.until, -1) and e.received_at <= $1
      and not exists (select 1 from report_number n where n.event_id = e.id))`;

/** Of each project the newest ones alone: the planner would rather read every report. */
const countBehind = (ofOneProject: boolean): Sql => ({
  sqlite: "select 0 as count",
  postgres: `select cast(count(*) as integer) as count from (
      select 1 from project p left join report_indexed i on i.project_id = p.id cross join lateral (
        select e.id from event e where e.project_id = p.id and e.received_at > coalesce(i.until, -1)
        order by e.received_at desc, e.id desc limit $1) newest
      where ${ofOneProject ? "p.id = $2 and" : ""} not exists (select 1 from report_number n where n.event_id = newest.id)
      limit $1) counted`,
});

const selectUnindexed = `select e.id, e.project_id, e.key_id, e.level, e.type, e.title, e.environment, e.release,
    e.user_id, e.user_email, e.tags, e.warnings, e.received_at, e.envelope_bytes,
    (select count(*) from attachment a where a.event_id = e.id and a.state <> 'missing') as attachments
  from event e
  where e.project_id in ($1) and e.received_at > $2
    and not exists (select 1 from report_number n where n.event_id = e.id)
  order by e.received_at, e.id limit $3`;

const insertTerms: Sql = {
  sqlite: "insert into report_text (rowid, terms) values ($1, $2)",
  postgres: "insert into report_text (number, terms) values ($1, cast($2 as tsvector))",
};

/** The reports of a slice that are still stored and have no number, each with the last number that its millisecond has. */
const selectUnnumbered = withListedIds(
  (isListed) => `select e.id, (select max(number) from report_number n
      where n.number >= cast(floor(e.received_at) as bigint) * ${numbersOfMillisecond}
        and n.number < cast(floor(e.received_at) as bigint) * ${numbersOfMillisecond} + ${numbersOfMillisecond}) as last
    from event e
    where e.id ${isListed} and not exists (select 1 from report_number n where n.event_id = e.id)`,
);

/**
 * Returns the reports that entered the index. The rows of one table go first and then those of the other: FTS5 writes its index to the database whenever a statement
 * begins that can be undone alone, and PostgreSQL is sent the rows of a table together.
 */
function* writeStep(tx: Tx, projectId: string, entries: readonly Entry[], until: number | undefined): Step<Entry[]> {
  // An event may be deleted by now, or have a number from an earlier slice.
  const unnumbered =
    entries.length === 0 ? [] : yield* tx.all<UnnumberedRow>(selectUnnumbered, [listOf(entries.map(({ id }) => id))]);
  const lastOf = new Map(unnumbered.map(({ id, last }) => [id, last]));
  const numbered: [number: number, entry: Entry][] = [];
  for (const entry of entries) {
    const last = lastOf.get(entry.id);
    if (last === undefined) continue;
    const before = numbered.at(-1);
    const taken = before?.[1].receivedAt === entry.receivedAt ? before[0] : last;
    numbered.push([taken === null ? firstNumberOf(entry.receivedAt) : taken + 1, entry]);
  }
  for (const [number, { id }] of numbered) {
    yield* tx.run("insert into report_number (number, event_id) values ($1, $2)", [number, id]);
  }
  for (const [number, { terms }] of numbered) yield* tx.run(insertTerms, [number, terms]);
  if (until !== undefined) {
    yield* tx.run(
      `insert into report_indexed (project_id, until) select id, $2 from project where id = $1
       on conflict (project_id) do update set until = excluded.until`,
      [projectId, until],
    );
  }
  return numbered.map(([, entry]) => entry);
}
