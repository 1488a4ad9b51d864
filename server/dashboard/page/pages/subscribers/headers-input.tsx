import { Field } from "../../parts/field.tsx";

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
