import type { TicketRow } from "../activity/ticket-row.ts";
import { listOf, withListedIds } from "../core/listed-ids.ts";
import { Periodic } from "../core/periodic.ts";
import { SliceSize } from "../core/slice-size.ts";
import type { Reader, Sql, Step, Store, Tx } from "../core/store.ts";
import { cardWords } from "./card-words.ts";

/**
 * Indexes words of titles and last digits of ids, with FTS5 on SQLite and with GIN on PostgreSQL. A new card is indexed
 * once no ticket comes for a moment, in slices of some 2 ms, so that no ticket waits. The index can be emptied: a start
 * fills it again.
 */

const turnMilliseconds = 100;
const slice = { milliseconds: 2, min: 4, max: 400 } as const;
/** While tickets never stop coming, a slice waits so long: less when more cards wait than one takes. */
const withinMilliseconds = { usual: 1_000, crowded: 100 } as const;
/** Cards that one step of the walk after a start looks at. */
const walkChunk = 2_000;
/** Where several processes make cards, a card may be stored so long after another one whose id is higher. */
const lateMilliseconds = 20_000;
const lookBackMilliseconds = 5_000;

type CardRow = Pick<TicketRow, "id" | "title">;

/** Keeps the index up to date with new cards while the server runs. */
export class CardIndex {
  readonly #store: Store;
  #after = "";
  readonly #turning = new Periodic({
    turn: () => this.#turn(),
    every: turnMilliseconds,
    failed: "cards could not be indexed and will be tried again",
  });
  readonly #lookingBack = new Periodic({
    turn: () => this.#lookBack(),
    every: lookBackMilliseconds,
    failed: "cards could not be indexed and will be tried again",
  });
  #walked = false;
  /**
   * The newest card that was indexed when {@link #lookBack} ended last. A crash of the database may take back entries of
   * the second before it, after which newer cards are indexed first.
   */
  #lookedBackTo = "";
  readonly #slice = new SliceSize(slice);

  constructor(store: Store) {
    this.#store = store;
  }

  start() {
    this.#turning.start();
    // On SQLite one process makes all ids and stores them in their order.
    if (this.#store.engine === "postgres") this.#lookingBack.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#turning.stop(), this.#lookingBack.stop()]);
  }

  /**
   * Cards that are not indexed yet, counted up to `max`. Until the walk after a start has ended these are the cards that
   * are newer than every indexed one: a process that ended had indexed the cards in their order.
   */
  async behind(max: number): Promise<number> {
    const newest = this.#walked
      ? undefined
      : await this.#store.one<{ id: string | null }>("select max(card_id) as id from card_text");
    const after = [this.#after, newest?.id ?? ""].sort()[1];
    const row = await this.#store.one<{ count: number }>(
      `select cast(count(*) as integer) as count from (select 1 from ticket where id > $1 limit ${max}) counted`,
      [after ?? ""],
    );
    return row?.count ?? 0;
  }

  /** Slice after slice until nothing is left. */
  async #turn(): Promise<void> {
    while (!this.#turning.stopped && (await this.#step())) {}
  }

  /**
   * After a start the index walks over all cards to find missing ones; then it follows the ids of new cards, which only
   * grow. Returns whether there are certainly more to index.
   */
  async #step(): Promise<boolean> {
    const limit = this.#slice.size;
    if (this.#walked) {
      const fresh = await this.#store.all<CardRow>("select id, title from ticket where id > $1 order by id limit $2", [
        this.#after,
        limit,
      ]);
      await this.#take(fresh, limit);
      this.#after = fresh.at(-1)?.id ?? this.#after;
      return fresh.length === limit;
    }
    const newest = await this.#store.one<{ id: string | null }>("select max(id) as id from ticket");
    const [end] = await this.#store.all<{ id: string }>(
      `select id from ticket where id > $1 order by id limit 1 offset ${walkChunk}`,
      [this.#after],
    );
    const missing = await this.#store.all<CardRow>(
      `select id, title from ticket t where id > $1 and id <= $2
         and not exists (select 1 from card_text where card_id = t.id) order by id limit $3`,
      [this.#after, end?.id ?? "g", limit],
    );
    await this.#take(missing, limit);
    if (missing.length === limit) this.#after = missing.at(-1)?.id ?? this.#after;
    else if (end) this.#after = end.id;
    else {
      this.#after = newest?.id ?? "";
      this.#lookedBackTo = this.#after;
      this.#walked = true;
    }
    return missing.length === limit;
  }

  /** Indexes cards that were stored after a card with a higher id was indexed, and those whose entries were lost. */
  async #lookBack(): Promise<void> {
    const to = this.#after;
    if (!this.#walked || to === "") return;
    const since = this.#lookedBackTo && idSince(this.#lookedBackTo, lateMilliseconds);
    const limit = this.#slice.size;
    let late: CardRow[];
    do {
      late = await this.#store.all<CardRow>(
        `select id, title from ticket t where id > $1 and id <= $2
           and not exists (select 1 from card_text where card_id = t.id) order by id limit $3`,
        [since, to, limit],
      );
      await this.#take(late, limit);
      if (this.#lookingBack.stopped) return;
    } while (late.length === limit);
    this.#lookedBackTo = to;
  }

  async #take(cards: readonly CardRow[], limit: number): Promise<void> {
    if (cards.length === 0) return;
    const { milliseconds } = await this.#store.writeDerived((tx) => indexNewCardsStep(tx, cards), {
      within: cards.length === limit ? withinMilliseconds.crowded : withinMilliseconds.usual,
    });
    this.#slice.took(milliseconds, cards.length);
  }
}

/** Ids of cards begin with their time: a beginning before which all ids are older than this one by `milliseconds`. */
function idSince(id: string, milliseconds: number): string {
  const time = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) - milliseconds;
  const digits = time.toString(16).padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}

/** Indexes a card again with a new title. A card that was deleted meanwhile is left out. */
export function* indexCardStep(tx: Tx, id: string, title: string): Step<void> {
  yield* tx.run("delete from card_text where card_id = $1", [id]);
  yield* indexNewCardsStep(tx, [{ id, title }]);
}

/**
 * Indexes cards unless they were indexed meanwhile, then with a newer title, or deleted. The rows of one table go first
 * and then those of the other: FTS5 writes its index to the database whenever a statement begins that can be undone
 * alone.
 */
function* indexNewCardsStep(tx: Tx, cards: readonly CardRow[]): Step<void> {
  const made = yield* tx.all<{ number: number; card_id: string }>(insertCards, [listOf(cards.map(({ id }) => id))]);
  const numberOf = new Map(made.map(({ number, card_id }) => [card_id, number]));
  for (const { id, title } of cards) {
    const number = numberOf.get(id);
    if (number === undefined) continue;
    // FTS5 splits a text into words itself.
    const words = tx.engine === "sqlite" ? title : termsOf(title);
    yield* tx.run(insertWords, [number, words, shortOf(id)]);
  }
}

const insertCards = withListedIds(
  (isListed) => `insert into card_text (card_id) select id from ticket where id ${isListed} order by id
    on conflict do nothing returning number, card_id`,
);

const insertWords: Sql = {
  sqlite: "insert into card_search (rowid, title, short) values ($1, $2, $3)",
  postgres: "insert into card_search (number, title, short) values ($1, cast($2 as tsvector), $3)",
};

/** A term of PostgreSQL has a length limit, which a word of a title could pass with its compatibility forms written out. */
const termMax = 64;

function termsOf(title: string): string {
  return cardWords(title)
    .map((word) => word.slice(0, termMax))
    .join(" ");
}

/** The last digits of an id, which people read aloud: ids begin with their time, so only the end tells them apart. */
function shortOf(id: string): string {
  return id.slice(-6);
}

/** The longest beginning of a word that has an index of its own; for a longer one every card would be read. */
export const prefixMax = 8;

/**
 * Cards whose titles have all these words, each as the beginning of a word up to `prefixMax` characters; newest first.
 */
export async function findByWords(store: Reader, words: readonly string[], limit: number): Promise<string[]> {
  if (words.length === 0) return [];
  const beginnings = words.map((word) => [...word].slice(0, prefixMax).join(""));
  const match =
    store.engine === "sqlite"
      ? beginnings.map((beginning) => `title : ${quoted(beginning)}*`).join(" AND ")
      : beginnings.flatMap((beginning) => cardWords(beginning).map((word) => `'${word}':*`)).join(" & ");
  return find(store, selectByWords, match, limit);
}

export async function findByShortId(store: Reader, short: string, limit: number): Promise<string[]> {
  const digits = short.toLowerCase();
  return find(store, selectByShortId, store.engine === "sqlite" ? `short : ${quoted(digits)}` : digits, limit);
}

/** Rows are found in descending order, so few are read, however many match. */
const selectMatching = `select x.card_id from card_search s join card_text x on x.number = s.rowid
  where s.card_search match $1 order by s.rowid desc limit $2`;

const selectByWords: Sql = {
  sqlite: selectMatching,
  postgres: `select x.card_id from card_search s join card_text x on x.number = s.number
    where s.title @@ cast($1 as tsquery) order by s.number desc limit $2`,
};

const selectByShortId: Sql = {
  sqlite: selectMatching,
  postgres: `select x.card_id from card_search s join card_text x on x.number = s.number
    where s.short = $1 order by s.number desc limit $2`,
};

async function find(store: Reader, sql: Sql, match: string, limit: number): Promise<string[]> {
  const found = await store.all<{ card_id: string }>(sql, [match, limit]);
  return found.map(({ card_id }) => card_id);
}

/** In quotes no character is an operator of FTS5. */
function quoted(word: string): string {
  return `"${word.replaceAll('"', '""')}"`;
}
