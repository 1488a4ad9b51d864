import { useState } from "preact/hooks";
import { api, done } from "../../core/api.ts";
import { isAdmin } from "../../core/boot.ts";
import { copy } from "../../core/copy.ts";
import { plural } from "../../core/format.ts";
import { failureOf } from "../../core/load.ts";
import { say } from "../../core/say.ts";
import { sensitive } from "../../core/sensitive.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Menu, type MenuItem } from "../../parts/menu.tsx";
import { ColumnForm } from "./column-form.tsx";
import type { Column } from "./order.ts";
import type { BoardStore } from "./store.ts";

/** The menu of a column. Deleting a column asks where its cards go. */
export function ColumnMenu({
  store,
  column,
  columns,
}: {
  store: BoardStore;
  column: Column;
  columns: readonly Column[];
}) {
  const [open, setOpen] = useState<"edit" | "delete">();
  const at = columns.findIndex(({ id }) => id === column.id);

  async function change(work: () => Promise<unknown>) {
    try {
      await work();
      await store.load();
    } catch (error) {
      say(failureOf(error).message, { bad: true });
    }
  }
  const place = (after: string | null) => change(() => done(api.columns({ id: column.id }).patch({ after })));

  const items: MenuItem[] = [
    { label: "Edit column…", icon: "pencil", run: () => setOpen("edit") },
    ...(at > 0
      ? [{ label: "Move left", icon: "left" as const, run: () => void place(columns[at - 2]?.id ?? null) }]
      : []),
    ...(at < columns.length - 1
      ? [{ label: "Move right", icon: "right" as const, run: () => void place(columns[at + 1]?.id ?? null) }]
      : []),
    {
      label: "Copy id",
      icon: "copy",
      run: () => void copy(column.id).then((copied) => say(copied ? "Id copied" : column.id)),
    },
    // The last column of a board cannot be deleted: cards need one.
    ...(isAdmin.value && columns.length > 1
      ? [{ label: "Delete column…", icon: "trash" as const, danger: true, run: () => setOpen("delete") }]
      : []),
  ];
  return (
    <>
      <Menu label={`Acts on ${column.name}`} items={items} />
      {open === "edit" && (
        <ColumnForm boardId={store.id} column={column} onClose={() => setOpen(undefined)} onDone={() => store.load()} />
      )}
      {open === "delete" && (
        <DeleteColumn store={store} column={column} columns={columns} onClose={() => setOpen(undefined)} />
      )}
    </>
  );
}

function DeleteColumn({
  store,
  column,
  columns,
  onClose,
}: {
  store: BoardStore;
  column: Column;
  columns: readonly Column[];
  onClose: () => void;
}) {
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
