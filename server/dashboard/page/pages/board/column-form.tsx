import { useState } from "preact/hooks";
import { limits } from "../../../../../openapi/schema/limits.ts";
import { api, done } from "../../core/api.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
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

  async function save() {
    const max = limit.trim() === "" ? null : Number(limit);
    if (column) await done(api.columns({ id: column.id }).patch({ name, category, limit: max }));
    else await done(api.columns.post({ boardId, name, category, ...(max === null ? {} : { limit: max }) }));
    await onDone();
    onClose();
  }

  return (
    <FormDialog
      title={column ? `Edit the column ${column.name}` : "New column"}
      verb={column ? "Save column" : "Create column"}
      onSubmit={save}
      onClose={onClose}
    >
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
            max={limits.cardLimitMax}
            {...tied}
            value={limit}
            onInput={(event) => setLimit(event.currentTarget.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}
