import { batch, signal } from "@preact/signals";
import type { BoardPage } from "../../../../boards/show-board.ts";
import type { ChangeEvent } from "../../../../core/change-event.ts";
import type { CardSummary } from "../../../../tickets/card-summary.ts";
import { type BoardQuery, boardAddress, callQueryOf, type Filter, filterIn } from "../../../board-filter.ts";
import { api, type CallFailed, done } from "../../core/api.ts";
import { takeAnswer } from "../../core/document-answer.ts";
import { failureOf } from "../../core/load.ts";
import { display } from "./display.ts";
import { isFiltering, matches, todayOf } from "./filter.ts";
import { type Columns, merged, placeOf, withCard, withChanged, withoutCard } from "./order.ts";

export interface BoardHead {
  name: string;
  archivedAt: string | null;
  project: { id: string; name: string; archivedAt: string | null };
  totals: Record<Filter["quick"], number>;
}

const freshMilliseconds = 10_000;
/** Changes from the server are shown at most ten times a second. */
const pauseMilliseconds = 100;
const idsMax = 100;
const pageSize = 100;
/** Cards of a column that stay loaded while the column is scrolled to its top. */
const keptMax = 2_000;

/**
 * The state of one board in this window: the loaded cards, the changes that the server announced since, and the moves
 * that this person has begun.
 */
export class BoardStore {
  readonly head = signal<BoardHead | undefined>(undefined);
  readonly columns = signal<Columns>([]);
  readonly failed = signal<CallFailed | undefined>(undefined);
  readonly waiting = signal(false);
  /** Ids of cards that arrived while the board was shown. */
  readonly fresh = signal<ReadonlySet<string>>(new Set());
  /** Ids of cards whose move the server has not acknowledged. */
  readonly pending = signal<ReadonlySet<string>>(new Set());
  /** Id of the card that this person moved last in this window. */
  #own: string | undefined;
  /** Id of the card that had the focus last: the keys continue from there. */
  readonly at = signal<string | undefined>(undefined);
  /** The form for a new card with all fields, while it is open. */
  readonly creating = signal<{ columnId: string; title: string } | undefined>(undefined);
  /** The title that was left in the closed form; it continues in the form at the top of the column. */
  begun = "";
  /** Ids of the selected cards, for an action on all of them. */
  readonly chosen = signal<ReadonlySet<string>>(new Set());
  /** Id of the card that should get the focus once it is rendered. */
  readonly wanted = signal<string | undefined>(undefined);
  filter: Filter = filterIn(new URLSearchParams());

  /** True while a card is dragged: nothing may move under it. */
  #frozen = false;
  #heard = new Set<string>();
  /** Changes to cards under the pointer, which are shown when the pointer leaves. */
  #late = new Map<string, CardSummary | undefined>();
  #wholeHeard = false;
  readonly #trimming = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #turn = 0;
  /** The query with which the whole board was loaded last. */
  #loadedQuery = "";
  readonly #loading = new Set<string>();

  constructor(readonly id: string) {}

  get today(): string {
    return todayOf(Date.now());
  }

  query(): BoardQuery {
    return callQueryOf(this.filter, this.today, display.peek().doneDays);
  }

  /** Loads the whole board, with the first cards of each column. */
  async load(filter = this.filter) {
    this.filter = filter;
    const query = JSON.stringify(this.query());
    const queryChanged = query !== this.#loadedQuery;
    this.#loadedQuery = query;
    const mine = ++this.#turn;
    const notice = setTimeout(() => {
      this.waiting.value = true;
    }, 120);
    try {
      const call = () => done(api.boards({ id: this.id }).get({ query: this.query() }));
      const { columns, id: _, ...head } = takeAnswer<BoardPage>(boardAddress(this.id, this.query())) ?? (await call());
      if (mine !== this.#turn) return;
      const old = new Map(this.columns.value.map((column) => [column.id, column]));
      batch(() => {
        this.head.value = head;
        this.failed.value = undefined;
        this.#late.clear();
        if (!queryChanged) this.#greet(columns.flatMap(({ cards }) => cards));
        const found = columns.map((column) => merged(column, queryChanged ? undefined : old.get(column.id)));
        this.#show(queryChanged ? found : this.#withHeld(found));
      });
    } catch (error) {
      if (mine !== this.#turn) return;
      const failed = failureOf(error);
      batch(() => {
        this.failed.value = failed;
        if (failed.status !== 404) return;
        this.head.value = undefined;
        this.columns.value = [];
      });
    } finally {
      clearTimeout(notice);
      if (mine === this.#turn) this.waiting.value = false;
    }
  }

  /**
   * Keeps cards that are being moved or lie under the pointer in their places, even when the whole board was loaded
   * again.
   */
  #withHeld(found: Columns): Columns {
    let columns = found;
    for (const id of this.pending.value) {
      const place = placeOf(this.columns.value, id);
      if (!place) continue;
      const { columnId, position } = place.card;
      columns = withCard(columns, { ...(placeOf(found, id)?.card ?? place.card), columnId, position });
    }
    const id = pointedCard();
    const place = id === undefined || this.pending.value.has(id) ? undefined : placeOf(this.columns.value, id);
    if (id === undefined || !place) return columns;
    const now = placeOf(columns, id);
    if (now?.columnId === place.columnId && now.card.position === place.card.position) return columns;
    this.#late.set(id, now?.card);
    return withCard(columns, place.card);
  }

  /** Loads the next cards of a column, when its end comes into sight. */
  async more(columnId: string): Promise<void> {
    const column = this.columns.value.find(({ id }) => id === columnId);
    if (!column || column.next === null || this.#loading.has(columnId)) return;
    this.#loading.add(columnId);
    try {
      const query = { ...this.query(), after: column.next, limit: String(pageSize) };
      const { items, next } = await done(api.columns({ id: columnId }).cards.get({ query }));
      this.columns.value = this.columns.value.map((now) => {
        if (now.id !== columnId || now.next !== column.next) return now;
        const known = new Set(now.cards.map(({ id }) => id));
        return { ...now, cards: [...now.cards, ...items.filter(({ id }) => !known.has(id))], next };
      });
    } catch (error) {
      this.failed.value = failureOf(error);
    } finally {
      this.#loading.delete(columnId);
    }
  }

  /** Takes changes of this board from the server, or "resync" when anything may have changed. */
  hear(changes: readonly ChangeEvent[] | "resync") {
    const head = this.head.value;
    if (changes === "resync") this.#wholeHeard = true;
    else {
      for (const { kind, id, in: parent } of changes) {
        if (kind === "card" && (parent === this.id || placeOf(this.columns.value, id))) this.#heard.add(id);
        if (kind === "board" && id === this.id) this.#wholeHeard = true;
        if (kind === "project" && id === head?.project.id) this.#wholeHeard = true;
        if (kind === "run" && parent === this.id) this.#hearRun(id);
      }
    }
    if (this.#heard.size === 0 && !this.#wholeHeard) return;
    // More changed cards than one call takes: the whole board is loaded again.
    if (this.#heard.size > idsMax) this.#wholeHeard = true;
    this.#schedule();
  }

  #hearRun(id: string) {
    for (const { cards } of this.columns.value) {
      for (const card of cards) if (card.run?.id === id) this.#heard.add(card.id);
    }
  }

  #schedule() {
    if (this.#timer !== undefined || this.#frozen) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#schedule();
    }, pauseMilliseconds);
    if (this.#wholeHeard) {
      this.#wholeHeard = false;
      this.#heard.clear();
      void this.load();
    } else if (this.#heard.size > 0) {
      const ids = [...this.#heard];
      this.#heard.clear();
      void this.#fetch(ids);
    } else {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    }
  }

  async #fetch(ids: readonly string[]) {
    try {
      const query = { ids: ids.join() };
      void this.count().catch(() => {});
      const { items } = await done(api.cards.get({ query }));
      if (this.#frozen) {
        for (const id of ids) this.#heard.add(id);
        return;
      }
      const found = new Map(items.map((card) => [card.id, card]));
      for (const id of ids) this.#apply(id, found.get(id));
    } catch {
      // The connection is lost: `resume` loads these cards later.
      for (const id of ids) this.#heard.add(id);
    }
  }

  /** Called when the connection is back: loads what could not be loaded meanwhile. */
  resume() {
    if (this.failed.value?.status === 0) void this.load();
    else if (this.#heard.size > 0) this.#schedule();
  }

  #apply(id: string, card: CardSummary | undefined) {
    const place = placeOf(this.columns.value, id);
    const column = card && this.columns.value.find((one) => one.id === card.columnId);
    const shown = card && column && matches(this.filter, card, column, this.today) ? card : undefined;
    if (this.pending.value.has(id) && shown && place) {
      const { columnId, position } = place.card;
      this.columns.value = withChanged(this.columns.value, id, { ...shown, columnId, position });
      return;
    }
    if (place && isPointedAt(id) && (shown?.columnId !== place.columnId || shown.position !== place.card.position)) {
      this.#late.set(id, card);
      return;
    }
    this.#late.delete(id);
    if (!shown) {
      if (place) this.#show(withoutCard(this.columns.value, id));
      return;
    }
    this.#greet([shown]);
    this.#show(withCard(this.columns.value, shown));
  }

  /** Marks cards as arrived when the board did not hold them and they were just created. */
  #greet(cards: readonly CardSummary[]) {
    const since = Date.now() - freshMilliseconds;
    const young = cards.filter(({ createdAt }) => Date.parse(createdAt) > since);
    const ids = young.map(({ id }) => id).filter((id) => !placeOf(this.columns.value, id));
    if (ids.length === 0) return;
    this.fresh.value = new Set([...this.fresh.value, ...ids]);
    setTimeout(() => {
      this.fresh.value = new Set([...this.fresh.value].filter((id) => !ids.includes(id)));
    }, freshMilliseconds);
  }

  /** Loads the numbers in the heads of the columns, which also change while no shown card does. */
  async count() {
    const { columns, totals } = await done(api.boards({ id: this.id }).counts.get({ query: this.query() }));
    const counts = new Map(columns.map((column) => [column.id, column]));
    batch(() => {
      this.columns.value = this.columns.value.map((column) => {
        const now = counts.get(column.id);
        return !now || (now.count === column.count && now.total === column.total) ? column : { ...column, ...now };
      });
      if (this.head.value) this.head.value = { ...this.head.value, totals };
    });
  }

  /** Shows a card that this person changed at once, wherever the pointer is. */
  put(card: CardSummary) {
    this.#late.delete(card.id);
    this.#own = card.id;
    const column = this.columns.value.find((one) => one.id === card.columnId);
    const fits = column && card.boardId === this.id && matches(this.filter, card, column, this.today);
    this.#show(fits ? withCard(this.columns.value, card) : withoutCard(this.columns.value, card.id));
    void this.count().catch(() => {});
  }

  /**
   * Renders other cards. The focused card keeps the focus, although browsers drop the focus of an element that moves in
   * the document.
   */
  #show(columns: Columns) {
    const focused = focusedCard();
    this.columns.value = columns;
    if (focused !== undefined && this.wanted.value === undefined && placeOf(columns, focused)) {
      this.wanted.value = focused;
    }
  }

  /** Shows a move of this person before the server has acknowledged it. */
  shift(columns: Columns, id: string, waits: boolean) {
    // The person decides where the card goes: an older change that was held back is dropped.
    this.#late.delete(id);
    this.#own = id;
    const pending = new Set(this.pending.value);
    if (waits) pending.add(id);
    else pending.delete(id);
    batch(() => {
      this.pending.value = pending;
      this.columns.value = columns;
    });
  }

  /** Whether this person put the card where it stands, so that it does not count as an arrival. */
  isOwn(id: string): boolean {
    return id === this.#own || this.pending.value.has(id);
  }

  freeze() {
    this.#frozen = true;
  }

  thaw() {
    this.#frozen = false;
    this.settle();
    this.#schedule();
  }

  /** Called when the pointer leaves the cards: held changes are shown. */
  settle() {
    for (const [id, card] of [...this.#late]) if (!isPointedAt(id)) this.#apply(id, card);
  }

  /** Drops the cards beyond the first ones of a column that was scrolled far down and is at its top again. */
  async trim(columnId: string) {
    const column = this.columns.value.find(({ id }) => id === columnId);
    if (!column || column.cards.length <= keptMax || this.#trimming.has(columnId)) return;
    this.#trimming.add(columnId);
    try {
      const query = { ...this.query(), limit: String(pageSize) };
      const { items, next } = await done(api.columns({ id: columnId }).cards.get({ query }));
      const trimmed = (now: (typeof this.columns.value)[number]) =>
        now.id === columnId ? { ...now, cards: items, next } : now;
      this.columns.value = this.columns.value.map(trimmed);
    } finally {
      this.#trimming.delete(columnId);
    }
  }

  get isFiltering(): boolean {
    return isFiltering(this.filter);
  }
}

function focusedCard(): string | undefined {
  return document.activeElement?.closest<HTMLElement>("[data-card]")?.dataset["card"];
}

function pointedCard(): string | undefined {
  return document.querySelector<HTMLElement>("[data-card]:hover")?.dataset["card"] ?? focusedCard();
}

function isPointedAt(id: string): boolean {
  const card = document.querySelector(`[data-card="${id}"]`);
  return card !== null && (card.matches(":hover") || card.contains(document.activeElement));
}

/** The board that this window shows, also behind an open card. */
export const shownBoard = signal<BoardStore | undefined>(undefined);
