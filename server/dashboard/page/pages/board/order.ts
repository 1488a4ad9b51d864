import type { CardSummary } from "../../../../tickets/card-summary.ts";

export interface Column {
  id: string;
  name: string;
  category: "backlog" | "todo" | "doing" | "done";
  limit: number | null;
  /** Number of cards that match the filter, and of all cards. */
  count: number;
  total: number;
  /** The cards that are loaded: the first ones, in order. */
  cards: readonly CardSummary[];
  /** The cursor for the next cards; null when all are loaded. */
  next: string | null;
}

export type Columns = readonly Column[];

/** A place in a column: the index that the card will have there. */
export interface Target {
  columnId: string;
  index: number;
}

export interface Place extends Target {
  column: Column;
  card: CardSummary;
}

export function placeOf(columns: Columns, id: string): Place | undefined {
  for (const column of columns) {
    const index = column.cards.findIndex((card) => card.id === id);
    const card = column.cards[index];
    if (card) return { column, columnId: column.id, index, card };
  }
  return undefined;
}

/** Puts a card where its position says, unless that lies beyond the loaded cards. The counts come from the server. */
export function withCard(columns: Columns, card: CardSummary): Columns {
  return withoutCard(columns, card.id).map((column) => {
    if (column.id !== card.columnId) return column;
    const index = indexFor(column.cards, card);
    if (index === column.cards.length && column.next !== null) return column;
    return { ...column, cards: column.cards.toSpliced(index, 0, card) };
  });
}

/** Removes a card. Columns that did not hold the card stay the same objects. */
export function withoutCard(columns: Columns, id: string): Columns {
  return columns.map((column) => {
    const index = column.cards.findIndex((card) => card.id === id);
    return index < 0 ? column : { ...column, cards: column.cards.toSpliced(index, 1) };
  });
}

/** Changes a card in place. */
export function withChanged(columns: Columns, id: string, change: Partial<CardSummary>): Columns {
  return columns.map((column) =>
    column.cards.some((card) => card.id === id)
      ? { ...column, cards: column.cards.map((card) => (card.id === id ? { ...card, ...change } : card)) }
      : column,
  );
}

function indexFor(cards: readonly CardSummary[], card: CardSummary): number {
  let [low, high] = [0, cards.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = cards[middle];
    if (other && stands(other, card)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function stands(a: CardSummary, b: CardSummary): boolean {
  return a.position < b.position || (a.position === b.position && a.id < b.id);
}

interface Intent {
  columns: Columns;
  card: CardSummary;
  /**
   * The place as the server takes it: the card above, or null for the top, and the card below in case the one above is
   * gone.
   */
  after: string | null;
  before: string | null;
}

/** Moves a card before the server has answered. Returns undefined when the card would stay where it is. */
export function moved(columns: Columns, id: string, { columnId, index }: Target): Intent | undefined {
  const from = placeOf(columns, id);
  const to = columns.find((column) => column.id === columnId);
  if (!from || !to) return undefined;
  const others = to.cards.filter((card) => card.id !== id);
  const at = Math.max(0, Math.min(index, others.length));
  if (from.columnId === columnId && from.index === at) return undefined;
  const [above, below] = [others[at - 1], others[at]];
  const card = { ...from.card, columnId, position: between(above?.position, below?.position) };
  const changed = columns.map((column) => {
    const arrives = column.id === columnId;
    const leaves = column.id === from.columnId;
    if (!arrives && !leaves) return column;
    const by = arrives && leaves ? 0 : arrives ? 1 : -1;
    const cards = arrives ? others.toSpliced(at, 0, card) : column.cards.filter((other) => other.id !== id);
    return { ...column, cards, count: column.count + by, total: column.total + by };
  });
  return { columns: changed, card, after: above?.id ?? null, before: below?.id ?? null };
}

/** A position between two others, until the server says the real one. */
function between(above: number | undefined, below: number | undefined): number {
  if (above === undefined) return below === undefined ? 0 : below - 1;
  return below === undefined ? above + 1 : (above + below) / 2;
}

export type Direction = "up" | "down" | "left" | "right";

/** The place one step away from a card; undefined at the edge. `shown` leaves out hidden columns. */
export function stepTarget(shown: Columns, id: string, direction: Direction): Target | undefined {
  const from = placeOf(shown, id);
  if (!from) return undefined;
  if (direction === "up") return from.index === 0 ? undefined : { columnId: from.columnId, index: from.index - 1 };
  if (direction === "down") {
    const last = from.index >= from.column.cards.length - 1;
    return last ? undefined : { columnId: from.columnId, index: from.index + 1 };
  }
  const column = shown[shown.indexOf(from.column) + (direction === "left" ? -1 : 1)];
  return column && { columnId: column.id, index: Math.min(from.index, column.cards.length) };
}

/**
 * The card to which the focus goes by one step: empty columns are skipped, and without a focused card it is the first
 * one.
 */
export function neighbour(shown: Columns, id: string | undefined, direction: Direction): CardSummary | undefined {
  const from = id === undefined ? undefined : placeOf(shown, id);
  if (!from) return shown.find((column) => column.cards.length > 0)?.cards[0];
  if (direction === "up") return from.column.cards[from.index - 1];
  if (direction === "down") return from.column.cards[from.index + 1];
  const at = shown.indexOf(from.column);
  const side = direction === "left" ? shown.slice(0, at).reverse() : shown.slice(at + 1);
  const column = side.find(({ cards }) => cards.length > 0);
  return column?.cards[Math.min(from.index, column.cards.length - 1)];
}

/**
 * Merges a column that was loaded again with the earlier one: the first cards are as loaded, the cards beyond keep
 * their order.
 */
export function merged(fresh: Column, old: Column | undefined): Column {
  const last = fresh.cards.at(-1);
  if (!old || fresh.next === null || !last) return fresh;
  const known = new Set(fresh.cards.map(({ id }) => id));
  const beyond = old.cards.filter((card) => !known.has(card.id) && stands(last, card));
  return beyond.length === 0 ? fresh : { ...fresh, cards: [...fresh.cards, ...beyond], next: old.next };
}
