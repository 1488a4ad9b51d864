import { useState } from "preact/hooks";
import { api, done } from "../../core/api.ts";
import { failureOf } from "../../core/load.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { Note } from "../../parts/note.tsx";
import type { Column } from "./order.ts";

type Category = Column["category"];
const categories: readonly [Category, string][] = [
  ["backlog", "Backlog"],
  ["todo", "To do"],
  ["doing", "In progress"],
  ["done", "Done"],
];

export interface ColumnFormProps {
  boardId: string;
  column?: Column;
  onDone: () => Promise<unknown>;
  onClose: () => void;
}

/** The form for a new column, or for the name, category and limit of an existing one. */
export default function ColumnForm({ boardId, column, onDone, onClose }: ColumnFormProps) {
  const [name, setName] = useState(column?.name ?? "");
  const [category, setCategory] = useState<Category>(column?.category ?? "todo");
  const [limit, setLimit] = useState(column?.limit?.toString() ?? "");
  const [wrong, setWrong] = useState<string>();

  async function save(event: Event) {
    event.preventDefault();
    const max = limit.trim() === "" ? null : Number(limit);
    try {
      if (column) await done(api.columns({ id: column.id }).patch({ name, category, limit: max }));
      else await done(api.columns.post({ boardId, name, category, ...(max === null ? {} : { limit: max }) }));
      await onDone();
      onClose();
    } catch (error) {
      setWrong(failureOf(error).message);
    }
  }

  return (
    <Dialog
      title={column ? `Edit the column ${column.name}` : "New column"}
      onClose={onClose}
      footer={
        <>
          <button type="button" class="btn right" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" form="column-form" class="btn primary">
            {column ? "Save column" : "Create column"}
          </button>
        </>
      }
    >
      <form id="column-form" class="pile" onSubmit={(event) => void save(event)}>
        <Field label="Name">
          {(tied) => (
            <input
              class="field"
              dir="auto"
              maxLength={80}
              required
              data-focus
              {...tied}
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          )}
        </Field>
        <Field label="Stands for" hint="Cards in a column that stands for done are never overdue.">
          {(tied) => (
            <select
              class="field"
              {...tied}
              value={category}
              onChange={(event) => setCategory(event.currentTarget.value as Category)}
            >
              {categories.map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Limit" hint="Over it the count turns amber; nothing is refused. Empty: none.">
          {(tied) => (
            <input
              class="field"
              type="number"
              min={1}
              max={100_000}
              {...tied}
              value={limit}
              onInput={(event) => setLimit(event.currentTarget.value)}
            />
          )}
        </Field>
        {wrong !== undefined && <Note tone="err">{wrong}</Note>}
      </form>
    </Dialog>
  );
}
