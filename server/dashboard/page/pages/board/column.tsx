import { compact, plural, whole } from "../../core/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { Cards } from "./cards.tsx";
import { ColumnMenu } from "./column-menu.tsx";
import { NewCard } from "./new-card.tsx";
import type { Column as ColumnState } from "./order.ts";
import type { BoardStore } from "./store.ts";

/** A column of a board: its head, the form for a new card, and its cards. */
export function Column({
  store,
  column,
  columns,
  shown,
  dense,
  composing,
  onCompose,
  stop,
}: {
  store: BoardStore;
  column: ColumnState;
  columns: readonly ColumnState[];
  /** Whether a phone shows this column: it shows one at a time. */
  shown: boolean;
  dense: boolean;
  /** Whether the form for a new card is open in this column. */
  composing: boolean;
  onCompose: (columnId: string | undefined) => void;
  /** Id of the card that Tab stops at. */
  stop: string | undefined;
}) {
  const { cards, count, total, limit, name, category } = column;
  const over = limit !== null && total > limit;
  return (
    <section
      class={`column ${category}${shown ? " show" : ""}`}
      data-column={column.id}
      aria-label={`${name}, ${plural(count, "card")}`}
    >
      <header>
        <span class="mark" aria-hidden="true" />
        <h2 class="ellipsis" dir="auto" title={name}>
          {name}
        </h2>
        <span
          class={`count${over ? " text-warn" : ""}`}
          title={limit === null ? whole(count) : `${whole(total)} cards, limit ${whole(limit)}`}
        >
          {compact(count)}
          {count !== total && ` of ${compact(total)}`}
          {limit !== null && ` / ${compact(limit)}`}
        </span>
        <span class="right row gap-2">
          <button
            type="button"
            class="btn ghost square"
            aria-label={`New card in ${name}`}
            onClick={() => onCompose(column.id)}
          >
            <Icon name="plus" small />
          </button>
          <ColumnMenu store={store} column={column} columns={columns} />
        </span>
      </header>
      {composing && <NewCard store={store} column={column} onClose={() => onCompose(undefined)} />}
      {cards.length === 0 && !composing && (
        <p class="more">{store.isFiltering && total > 0 ? "No card matches here." : "No cards."}</p>
      )}
      <Cards store={store} column={column} dense={dense} stop={stop} />
    </section>
  );
}
