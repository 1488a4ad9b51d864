import type { Value } from "../../core/store.ts";
import type { Parameter } from "./lane.ts";

export interface Column {
  /** As PostgreSQL's catalogue names it. */
  type: string;
  /** Whether it is part of a primary key or of a unique index. */
  isUnique: boolean;
}

/** By table and name. */
export type Columns = ReadonlyMap<string, ReadonlyMap<string, Column>>;

/** How many rows one text inserts, made from a text that inserts one row. */
interface ManyRows {
  sql: string;
  /** Whether a row's values come from other rows, maybe of the same table: one statement sees none of its own. */
  selects: boolean;
  /** The parameter of the text for one row that each array is made of, and the type of its elements. */
  columns: readonly { parameter: number; type: string }[];
}

const oneRow = /^insert into (\w+) \(([\w\s,]+)\)\s+values \(([\s\S]+)\)$/;

/**
 * Rows of one transaction that are to be inserted, gathered to be sent with one statement for each text: a statement
 * costs PostgreSQL and this process far more than a row does.
 */
export class MergedInserts {
  readonly #texts: MergeableTexts;
  readonly #selects: boolean;
  readonly #waiting = new Map<ManyRows, (readonly Value[])[]>();

  /** `selects`: rows may be added although their values come from others; equal ones are no harm then. */
  constructor(texts: MergeableTexts, selects: boolean) {
    this.#texts = texts;
    this.#selects = selects;
  }

  /** False for a text that is to be sent as it is. */
  add(sql: string, params: readonly Value[]): boolean {
    const many = this.#texts.of(sql);
    if (!many || (many.selects && !this.#selects)) return false;
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
  readonly #columns: Columns;
  readonly #known = new Map<string, ManyRows | undefined>();

  constructor(columns: Columns) {
    this.#columns = columns;
  }

  of(sql: string): ManyRows | undefined {
    if (this.#known.has(sql)) return this.#known.get(sql);
    const many = this.#manyRows(sql);
    this.#known.set(sql, many);
    return many;
  }

  #manyRows(sql: string): ManyRows | undefined {
    const [, table = "", names = "", values = ""] = oneRow.exec(sql) ?? [];
    const known = this.#columns.get(table);
    const named = names.split(",").map((name) => name.trim());
    const given = splitList(values);
    if (!known || given?.length !== named.length) return undefined;
    // The next number is looked up for each row: in one statement, the rows would not see each other and get the same.
    if (given.some((value, i) => value.includes("select") && known.get(named[i] as string)?.isUnique)) return undefined;
    const typeOf = new Map<string, string>();
    // A parameter has the type of the column that it is the value of, or else of the one that it is part of the value of.
    for (const whole of [true, false]) {
      for (const [i, value] of given.entries()) {
        for (const [parameter] of value.matchAll(/\$\d+/g)) {
          const type = known.get(named[i] as string)?.type;
          if (type === undefined) return undefined;
          if ((value === parameter) === whole && !typeOf.has(parameter)) typeOf.set(parameter, type);
        }
      }
    }
    if (typeOf.size === 0) return undefined;
    const parameters = [...typeOf.keys()];
    const columns = parameters.map((parameter) => ({
      parameter: Number(parameter.slice(1)) - 1,
      type: typeOf.get(parameter) as string,
    }));
    const selected = given.map((value) => value.replaceAll(/\$(\d+)/g, "u.p$1"));
    const arrays = columns.map(({ type }, i) => `$${i + 1}::${type}[]`);
    const aliases = parameters.map((parameter) => `p${parameter.slice(1)}`);
    return {
      selects: /\bselect\b/.test(values),
      sql: `insert into ${table} (${named.join(", ")}) select ${selected.join(", ")} from unnest(${arrays.join(", ")}) as u (${aliases.join(", ")})`,
      columns,
    };
  }
}

/** The parts of a list between its commas, but for those within parentheses; undefined when parentheses do not match. */
function splitList(text: string): string[] | undefined {
  const parts = [""];
  let depth = 0;
  for (const letter of text) {
    if (letter === "(") depth++;
    if (letter === ")" && --depth < 0) return undefined;
    if (letter === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += letter;
  }
  return depth === 0 ? parts.map((part) => part.trim()) : undefined;
}
