import type { Context } from "../core/context.ts";
import { highest } from "../core/page.ts";
import type { Sql } from "../core/store.ts";
import type { Term } from "./parse-report-query.ts";
import { firstNumberOf } from "./report-number.ts";
import { type Expression, expressionOf } from "./report-query-sql.ts";
import { factsOf, type ScannedRow, scannedColumns } from "./report-row.ts";
import { queryWords } from "./report-terms.ts";
import { type WordReader, wordsOfEvent } from "./report-words.ts";
import { isIndexOnly, matches } from "./row-matches-query.ts";

/** Reports that one statement reads, at first and at most. Other requests run between two statements. */
const chunkMin = 250;
const chunkMax = 2_000;
const indexChunk = 200;

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

  /** Whether the query has a filter that only this value satisfies. */
  #requires(name: string, value: string): boolean {
    return this.#search.terms.some((term) => !term.not && hasValue(term, name, value) && term.values.length === 1);
  }

  async from(place: Place): Promise<void> {
    const expression = await expressionOf(this.#ctx.store, this.#search.projectId, this.#search.terms);
    if (expression === undefined) return void (await this.#scan(place, this.#search.since));
    const indexed = await this.#ctx.store.one<{ until: number }>(
      "select until from report_indexed where project_id in ($1)",
      [this.#search.projectId],
    );
    const until = indexed?.until ?? -1;
    // Words stand in the index only. A new report gets there within a second.
    if (this.#search.terms.some(isIndexOnly)) return this.#readIndexed(expression, place, highest);
    if (place.at > until) await this.#scan(place, Math.max(this.#search.since, until + 1));
    if (!this.#done) await this.#readIndexed(expression, place, until);
  }

  get #done(): boolean {
    return this.#count >= this.#search.wanted || this.stopped !== undefined;
  }

  /** Compares the stored reports one by one, back to a time of receipt. */
  async #scan(place: Place, since: number): Promise<void> {
    let { at, id } = place;
    // Few reports have repeats, and these have an index of their own.
    const select = this.#requires("is", "repeated") ? selectRepeated : selectScanned;
    // A query without filters matches every report, so the first rows are its answer.
    let limit = this.#search.terms.length === 0 ? this.#search.wanted : chunkMin;
    while (!this.#done) {
      const rows = await this.#ctx.store.all<ScannedRow>(select, [
        this.#search.projectId,
        at,
        id,
        since,
        ...this.#flags,
        limit,
      ]);
      for (const row of rows) this.#take(row);
      const last = rows.at(-1);
      if (!last || rows.length < limit) return;
      ({ received_at: at, id } = last);
      limit = Math.min(2 * limit, chunkMax);
      await this.#pause({ at, id });
    }
  }

  /** Reads the reports that the index proposes among those received until a time. */
  async #readIndexed({ match, unsure }: Expression, place: Place, until: number): Promise<void> {
    let below = Math.min(await this.#numberOf(place), firstNumberOf(Math.min(until, latest) + 1));
    const above = firstNumberOf(this.#search.since);
    while (!this.#done) {
      const rows = await this.#ctx.store.all<ScannedRow & { number: number }>(selectProposed, [
        match,
        below,
        above,
        indexChunk,
        ...this.#flags,
      ]);
      for (const row of rows) {
        if (this.#done) break;
        if (unsure.length === 0 || (await this.#hasTexts(row, unsure))) this.#take(row);
      }
      const last = rows.at(-1);
      if (!last || rows.length < indexChunk) return;
      below = last.number;
      await this.#pause({ at: last.received_at, id: last.id });
    }
  }

  /** Whether a report has these texts, compared with the same words of the report that are indexed. */
  async #hasTexts(row: ScannedRow, texts: Expression["unsure"]): Promise<boolean> {
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

  #take(row: ScannedRow) {
    if (this.#search.terms.length > 0 && !matches(this.#search.terms, factsOf(row))) return;
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

const selectFrom = (also: string) => `select ${scannedColumns} from event e
  where e.project_id in ($1) and (e.received_at, e.id) < ($2, $3) and e.received_at >= $4${also}
  order by e.received_at desc, e.id desc limit $7`;
const selectScanned = selectFrom("");
const selectRepeated = selectFrom(" and e.repeat_count > 0");

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
