import { fields } from "./field-text.ts";
import type { FormFieldName } from "./form-fields.ts";

/** The control for one field of a card: a list to choose from, a date or a line of text. */
export function FieldInput({
  name,
  value,
  onValue,
  options,
  ...attributes
}: {
  name: FormFieldName;
  value: string;
  onValue: (value: string) => void;
  /** Ids and names to choose from, for a field that refers to something else. */
  options?: readonly (readonly [string, string])[] | undefined;
  id?: string;
  "data-focus"?: boolean;
}) {
  const { kind, choices } = fields[name];
  const offered = options ?? (choices && Object.entries(choices));
  if (offered) {
    return (
      <select class="field" {...attributes} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
        {offered.map(([id, label]) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </select>
    );
  }
  return (
    <input
      class="field"
      // Text is written in either direction; a date has its own.
      {...(kind === "date" ? { type: "date" } : { dir: "auto" as const })}
      {...attributes}
      value={value}
      onInput={(event: { currentTarget: HTMLInputElement }) => onValue(event.currentTarget.value)}
    />
  );
}
