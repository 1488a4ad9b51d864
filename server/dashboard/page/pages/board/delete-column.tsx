import { useState } from "preact/hooks";
import { api, done } from "../../core/api.ts";
import { plural } from "../../core/format.ts";
import { sensitive } from "../../core/sensitive.ts";
import { Confirm } from "../../parts/confirm.tsx";
import type { Column } from "./order.ts";
import type { BoardStore } from "./store.ts";

export interface DeleteColumnProps {
  store: BoardStore;
  column: Column;
  columns: readonly Column[];
  onClose: () => void;
}

/** Asks where the cards of a column go before the column is deleted. */
export default function DeleteColumn({ store, column, columns, onClose }: DeleteColumnProps) {
  const others = columns.filter(({ id }) => id !== column.id);
  const [moveTo, setMoveTo] = useState(others[0]?.id ?? "");
  return (
    <Confirm
      title={`Delete the column ${column.name}?`}
      verb="Delete column"
      onClose={onClose}
      onConfirm={async () => {
        await sensitive(() => done(api.columns({ id: column.id }).delete(undefined, { query: { moveTo } })));
        await store.load();
      }}
    >
      <p>
        {column.total > 0 ? `Its ${plural(column.total, "card")} stay` : "Cards that are archived stay"}, in the column
        that you choose. Requests that name this column's id get an error from then on.
      </p>
      <label class="labelled">
        <span>Its cards go to</span>
        <select class="field" value={moveTo} onChange={(event) => setMoveTo(event.currentTarget.value)}>
          {others.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </Confirm>
  );
}
