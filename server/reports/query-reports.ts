import type { Context } from "../core/context.ts";
import { highest } from "../core/page.ts";
import type { Sql } from "../core/store.ts";
import type { Term } from "./parse-report-query.ts";
import { firstNumberOf } from "./report-number.ts";
import { type Expression, expressionOf } from "./report-query-sql.ts";
import { factsOf, type ScannedRow, scannedColumns } from "./report-row.ts";
import { everything, type FilteredSet, type ReportSet, repeated, undelivered } from "./report-sets.ts";
import { queryWords } from "./report-terms.ts";
import { type WordReader, wordsOfEvent } from "./report-words.ts";
import { isIndexOnly, matches } from "./row-matches-query.ts";

/** Reports that one statement reads, at first and at most. Other requests run between two statements. */
const chunkMin = 250;
const chunkMax = 2_000;
const indexChunk = 200;
/** The index is asked about each of at most this many reports, which takes up to half a millisecond. */
const askedMax = 100;

/** The report that the search has reached; the next one was received before it. */
interface Place {
  at: number;
  id: string;
}

interface Search {
  projectId: string;
  terms: readonly Term[];
  /** Only reports received at or after this time are searched; epoch milliseconds. */
  since: number;
  /** The search ends when it has found this many reports. */
  wanted: number;
  /** The search gives up after this time. */
  milliseconds: number;
  /** Called with every report that matches, newest first. */
  found: (row: ScannedRow) => void;
}

/**
 * Searches reports, newest first. The index proposes reports and the stored row decides whether each one matches.
 * Reports that are not in the index yet, and queries that the index cannot decide, are compared row by row, for a
 * bounded time.
 */
export class ReportSearch {
  /** Where the search gave up; undefined when it came to its end. */
  stopped: Place | undefined;
  readonly #ctx: Context;
  readonly #reader: WordReader;
  readonly #search: Search;
  readonly #flags: readonly [number, number];
  readonly #started = performance.now();
  #count = 0;

  constructor(ctx: Context, reader: WordReader, search: Search) {
    this.#ctx = ctx;
    this.#reader = reader;
    this.#search = search;
    const names = (name: string, value: string) => this.#search.terms.some((term) => hasValue(term, name, value));
    this.#flags = [names("has", "attachment") ? 1 : 0, names("is", "undelivered") ? 1 : 0];
  }

  async from(place: Place): Promise<void> {
    // Read before the expression, which names terms of the index: what is indexed in between is compared row by row.
    const indexed = await this.#ctx.store.one<{ until: number }>(
      "select until from report_indexed where project_id in ($1)",
      [this.#search.projectId],
    );
    const until = indexed?.until ?? -1;
    const expression = await expressionOf(this.#ctx.store, this.#search.projectId, this.#search.terms);
    if (expression === undefined) {
      const repeats = this.#requires(repeated) ? repeated : everything;
      return this.#scan(place, (await this.#smallSet()) ?? repeats);
    }
    // Words stand in the index only. A new report gets there within a second.
    if (this.#isIndexOnly) return this.#readIndexed(expression, place, highest);
    if (place.at > until) await this.#scan(place, everything, { since: until + 1 });
    if (!this.#done) await this.#readIndexed(expression, place, until);
  }

  /** The set that an `is:` filter of the query asks for, when it is small. */
  async #smallSet(): Promise<ReportSet | undefined> {
    const { projectId, since } = this.#search;
    for (const set of [undelivered, repeated]) {
      if (!this.#requires(set)) continue;
      const max = this.#isIndexOnly ? askedMax : set.max;
      const counted = await this.#ctx.store.one<{ count: number }>(set.count, [
        max + 1,
        ...set.countOf(projectId, since),
      ]);
      if (counted && counted.count <= max) return set;
    }
    return undefined;
  }

  /** Whether only reports of this set can match the query. */
  #requires({ is }: FilteredSet): boolean {
    return this.#search.terms.some((term) => !term.not && hasValue(term, "is", is) && term.values.length === 1);
  }

  /** Whether rows alone do not tell which reports match the query. */
  get #isIndexOnly(): boolean {
    return this.#search.terms.some(isIndexOnly);
  }

  get #done(): boolean {
    return this.#count >= this.#search.wanted || this.stopped !== undefined;
  }

  /**
   * Compares the stored reports of a set one by one, back to a time of receipt. Those that the search has passed already
   * are left out, and those that the index, where it is given, does not propose.
   */
  async #scan(
    place: Place,
    { select }: ReportSet,
    { since = 0, passed, index }: { since?: number; passed?: ReadonlySet<string>; index?: Expression } = {},
  ): Promise<void> {
    let { at, id } = place;
    // A query without filters matches every report, so the first rows are its answer.
    let limit = this.#search.terms.length === 0 ? this.#search.wanted : chunkMin;
    while (!this.#done) {
      const rows = await this.#ctx.store.all<ScannedRow>(select, [
        this.#search.projectId,
        at,
        id,
        Math.max(since, this.#search.since),
        ...this.#flags,
        limit,
      ]);
      for (const row of rows) {
        if (this.#done) break;
        if (passed?.has(row.id) || !this.#matches(row)) continue;
        if (index === undefined || (await this.#isProposed(row, index))) this.#take(row);
      }
      const last = rows.at(-1);
      if (!last || rows.length < limit) return;
      ({ received_at: at, id } = last);
      limit = Math.min(2 * limit, chunkMax);
      await this.#pause({ at, id });
    }
  }

  /** Reads the reports that the index proposes among those received until a time. */
  async #readIndexed(expression: Expression, place: Place, until: number): Promise<void> {
    let below = Math.min(await this.#numberOf(place), firstNumberOf(Math.min(until, latest) + 1));
    const above = firstNumberOf(this.#search.since);
    for (let chunk = 0; !this.#done; chunk++) {
      const rows = await this.#ctx.store.all<ScannedRow & { number: number }>(selectProposed, [
        expression.match,
        below,
        above,
        indexChunk,
        ...this.#flags,
      ]);
      for (const row of rows) {
        if (this.#done) break;
        if (this.#matches(row) && (await this.#hasTexts(row, expression.unsure))) this.#take(row);
      }
      const last = rows.at(-1);
      if (!last || rows.length < indexChunk) return;
      below = last.number;
      await this.#pause({ at: last.received_at, id: last.id });
      // Where the index proposes many reports and few of them match, the reports of a small set are compared instead.
      const set = chunk === 0 && !this.#done ? await this.#smallSet() : undefined;
      if (set) {
        // Reports of one millisecond have another order in the index, so that millisecond is looked through again.
        const passed = new Set(rows.map(({ id }) => id));
        const again = { at: last.received_at + 1, id: "" };
        return this.#scan(place.at < again.at ? place : again, set, {
          passed,
          ...(this.#isIndexOnly ? { index: expression } : {}),
        });
      }
    }
  }

  /** Whether the index proposes a report, and its texts are those of the query. */
  async #isProposed(row: ScannedRow, { match, unsure }: Expression): Promise<boolean> {
    const proposed = await this.#ctx.store.one(selectWhetherProposed, [match, row.id]);
    return proposed !== undefined && (await this.#hasTexts(row, unsure));
  }

  /** Whether a report has these texts, compared with the same words of the report that are indexed. */
  async #hasTexts(row: ScannedRow, texts: Expression["unsure"]): Promise<boolean> {
    if (texts.length === 0) return true;
    const words = await wordsOfEvent(this.#ctx.store, this.#reader, row);
    return texts.every(({ text, not }) => {
      const found = queryWords(text).every((beginning) => words.some((word) => word.startsWith(beginning)));
      return found !== not;
    });
  }

  async #numberOf({ at, id }: Place): Promise<number> {
    const row =
      id === ""
        ? undefined
        : await this.#ctx.store.one<{ number: number }>("select number from report_number where event_id = $1", [id]);
    return row?.number ?? firstNumberOf(Math.min(at, latest)) + (id === "" ? 0 : 1);
  }

  #matches(row: ScannedRow): boolean {
    return this.#search.terms.length === 0 || matches(this.#search.terms, factsOf(row));
  }

  #take(row: ScannedRow) {
    this.#count++;
    this.#search.found(row);
  }

  async #pause(place: Place): Promise<void> {
    if (this.#done) return;
    if (performance.now() - this.#started > this.#search.milliseconds) this.stopped = place;
    await new Promise(setImmediate);
  }
}

function hasValue(term: Term, name: string, value: string): term is Extract<Term, { kind: "filter" }> {
  return term.kind === "filter" && term.name === name && term.values.some(({ text }) => text === value);
}

/** The largest time of receipt for which the index has numbers. */
const latest = 4e12;

const selectOf = (proposed: string) => `select n.number, ${scannedColumns}
  from (${proposed}) t
    join report_number n on n.number = t.number join event e on e.id = n.event_id
  order by n.number desc`;

const selectProposed: Sql = {
  sqlite: selectOf(`select rowid as number from report_text
        where report_text match $1 and rowid < cast($2 as integer) and rowid >= cast($3 as integer)
        order by rowid desc limit $4`),
  postgres: selectOf(`select number from report_text
        where terms @@ cast($1 as tsquery) and number < cast($2 as bigint) and number >= cast($3 as bigint)
        order by number desc limit $4`),
};

const selectWhetherProposed: Sql = {
  sqlite: `select 1 as one from report_text
    where report_text match $1 and rowid = (select number from report_number where event_id = $2)`,
  postgres: `select 1 as one from report_text
    where terms @@ cast($1 as tsquery) and number = (select number from report_number where event_id = $2)`,
};
