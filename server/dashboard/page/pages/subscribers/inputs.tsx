import type { JSX } from "preact";
import type { Field as FieldOfSubject } from "../../../../core/fields.ts";
import { Field } from "../../parts/field.tsx";

interface InputProps<Value> {
  field: FieldOfSubject;
  value: Value;
  onValue: (value: Value) => void;
}

/** The input of one field of a subscriber, by its kind. */
export function Input({ field, value, onValue }: InputProps<string | readonly string[]>) {
  if (typeof value !== "string" && field.kind === "texts" && field.of) {
    return <Choices field={field} choices={field.of} value={value} onValue={onValue} />;
  }
  return (
    <Field label={field.label} hint={field.help}>
      {(tied) => (
        <span class="field">
          <input
            {...tied}
            {...attributesOf(field)}
            autocomplete="off"
            placeholder={field.placeholder}
            value={value as string}
            onInput={(event) => onValue(event.currentTarget.value)}
          />
        </span>
      )}
    </Field>
  );
}

function attributesOf({ kind }: FieldOfSubject): JSX.IntrinsicElements["input"] & { "data-focus"?: true } {
  if (kind === "address") return { "data-focus": true, inputMode: "url", spellcheck: false };
  if (kind === "bound") return { inputMode: "numeric" };
  return kind === "text" ? { dir: "auto" } : { spellcheck: false };
}

function Choices({ field, choices, value, onValue }: InputProps<readonly string[]> & { choices: readonly string[] }) {
  return (
    <fieldset class="options">
      <legend>{field.label}</legend>
      {choices.map((choice) => (
        <label key={choice}>
          <input
            type="checkbox"
            checked={value.includes(choice)}
            onChange={() =>
              onValue(value.includes(choice) ? value.filter((one) => one !== choice) : [...value, choice])
            }
          />
          <code>{choice}</code>
        </label>
      ))}
    </fieldset>
  );
}

/**
 * The input for the subscriber's own headers. Their values are never shown: headers written here replace those in
 * `names`, and null removes them.
 */
export function HeadersInput({
  names,
  value,
  onValue,
}: {
  names: readonly string[];
  value: string | null;
  onValue: (value: string | null) => void;
}) {
  return (
    <>
      <Field
        label="Own headers"
        hint={
          names.length > 0
            ? `It has ${names.join(", ")}; values are never shown. What you write here replaces them.`
            : "Name: value, one a line. Values are never shown again."
        }
      >
        {(tied) => (
          <textarea
            {...tied}
            class="field mono"
            spellcheck={false}
            autocomplete="off"
            value={value ?? ""}
            onInput={(event) => onValue(event.currentTarget.value)}
          />
        )}
      </Field>
      {names.length > 0 && (
        <label class="row">
          <input
            type="checkbox"
            checked={value === null}
            disabled={value !== null && value.trim() !== ""}
            onChange={() => onValue(value === null ? "" : null)}
          />
          Send none of its own headers any more
        </label>
      )}
    </>
  );
}
