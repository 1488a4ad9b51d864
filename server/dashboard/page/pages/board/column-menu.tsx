import { useState } from "preact/hooks";
import { api, done } from "../../core/api.ts";
import { isAdmin } from "../../core/boot.ts";
import { copy } from "../../core/copy.ts";
import { failureOf } from "../../core/load.ts";
import { say } from "../../core/say.ts";
import { Menu, type MenuItem } from "../../parts/menu.tsx";
import { ColumnForm, DeleteColumn } from "./lazy-dialogs.ts";
import type { Column } from "./order.ts";
import type { BoardStore } from "./store.ts";

/** The menu of a column. */
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
