import { useState } from "preact/hooks";
import type { PlainFieldName } from "../../../../../openapi/schema/ticket-fields.ts";
import type { StoredTicket } from "../../../../activity/ticket-row.ts";
import { FieldInput } from "./field-input.tsx";
import { fields, textOf, writtenValue } from "./field-text.ts";

/** The dialog that changes one field of a card, or several that belong together, such as its dates. */
export function FieldForm<Name extends PlainFieldName>({
  what,
  names,
  values,
  onSave,
}: {
  /** Names on the button what is saved: `dates`. */
  what: string;
  names: readonly Name[];
  values: Pick<StoredTicket, Name>;
  onSave: (values: Pick<StoredTicket, Name>) => void;
}) {
  const [texts, setTexts] = useState(() => names.map((name) => textOf(values[name])));
  const save = (texts: readonly string[]) => {
    const saved = names.map((name, i) => [name, writtenValue(name, texts[i] ?? "")]);
    onSave(Object.fromEntries(saved) as Pick<StoredTicket, Name>);
  };
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        save(texts);
      }}
    >
      {names.map((name, i) => (
        // biome-ignore lint/a11y/noLabelWithoutControl: FieldInput is the control
        <label key={name} class="labelled">
          <span>{fields[name].label}</span>
          <FieldInput
            name={name}
            {...(i === names.length - 1 ? { "data-focus": true } : {})}
            value={texts[i] ?? ""}
            onValue={(text) => setTexts(texts.with(i, text))}
          />
        </label>
      ))}
      <div class="row">
        <button type="submit" class="btn primary">
          Save {what}
        </button>
        <button type="button" class="btn ghost" onClick={() => save([])}>
          Clear
        </button>
      </div>
    </form>
  );
}
