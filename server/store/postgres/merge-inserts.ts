import type { Value } from "../../core/store.ts";
import type { Parameter } from "./lane.ts";

/** The type of each column, by table and column, as PostgreSQL's catalogue names it. */
export type ColumnTypes = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** How many rows one text inserts, made from a text that inserts one row. */
interface ManyRows {
  table: string;
  sql: string;
  /** The parameter of the text for one row that each array is made of, and the type of its elements. */
  columns: readonly { parameter: number; type: string }[];
}

const oneRow = /^insert into (\w+) \(([\w\s,]+)\)\s+values \(([^()]+)\)$/;

/**
 * Rows of one transaction that are to be inserted, gathered to be sent with one statement for each text: a statement
 * costs PostgreSQL and this process far more than a row does.
 */
export class MergedInserts {
  readonly #texts: MergeableTexts;
  readonly #waiting = new Map<ManyRows, (readonly Value[])[]>();

  constructor(texts: MergeableTexts) {
    this.#texts = texts;
  }

  /** False for a text that is to be sent as it is. */
  add(sql: string, params: readonly Value[]): boolean {
    const many = this.#texts.of(sql);
    if (!many) return false;
    const rows = this.#waiting.get(many);
    if (rows) rows.push(params);
    else this.#waiting.set(many, [params]);
    return true;
  }

  get empty(): boolean {
    return this.#waiting.size === 0;
  }

  /** The statements for all rows that were added, in the order in which the first row of each came. */
  *take(): Generator<{ sql: string; params: Parameter[] }> {
    for (const [{ sql, columns }, rows] of this.#waiting) {
      const params = columns.map(({ parameter, type }) => ({ array: rows.map((row) => row[parameter] ?? null), type }));
      yield { sql, params };
    }
    this.#waiting.clear();
  }
}

/** Knows for each text whether its rows can be inserted many at a time. */
export class MergeableTexts {
  readonly #types: ColumnTypes;
  readonly #known = new Map<string, ManyRows | undefined>();

  constructor(types: ColumnTypes) {
    this.#types = types;
  }

  of(sql: string): ManyRows | undefined {
    if (this.#known.has(sql)) return this.#known.get(sql);
    const many = this.#manyRows(sql);
    this.#known.set(sql, many);
    return many;
  }

  #manyRows(sql: string): ManyRows | undefined {
    const [, table = "", names = "", values = ""] = oneRow.exec(sql) ?? [];
    const types = this.#types.get(table);
    if (!types) return undefined;
    const columns: { parameter: number; type: string }[] = [];
    const selected: string[] = [];
    const named = names.split(",").map((name) => name.trim());
    const given = values.split(",").map((value) => value.trim());
    if (named.length !== given.length) return undefined;
    for (const [i, value] of given.entries()) {
      const parameter = /^\$(\d+)$/.exec(value)?.[1];
      const type = types.get(named[i] ?? "");
      if (!type) return undefined;
      if (parameter === undefined) {
        // A constant, such as 0 or null, is the same in each row.
        if (!/^(\d+|null|'[^']*')$/.test(value)) return undefined;
        selected.push(value);
        continue;
      }
      columns.push({ parameter: Number(parameter) - 1, type });
      selected.push(`c${columns.length}`);
    }
    if (columns.length === 0) return undefined;
    const arrays = columns.map(({ type }, i) => `$${i + 1}::${type}[]`).join(", ");
    const aliases = columns.map((_, i) => `c${i + 1}`).join(", ");
    return {
      table,
      sql: `insert into ${table} (${named.join(", ")}) select ${selected.join(", ")} from unnest(${arrays}) as u (${aliases})`,
      columns,
    };
  }
}
