import type { JSX } from "preact";
import { type OptionName, optionOf } from "../../../../webhooks/subscribers/subscriber-options.ts";
import { Field } from "../../parts/field.tsx";
import type { FormValues } from "./option-form.ts";

/** The field of one option in a form, as its kind wants it. */
export function OptionField({
  name,
  value,
  names,
  onValue,
}: {
  name: OptionName;
  value: FormValues[OptionName];
  /** Names of headers that are set: their values are never shown. */
  names: readonly string[];
  onValue: (value: FormValues[OptionName]) => void;
}) {
  const option = optionOf(name);
  if (option.kind === "choices") {
    return <Choices label={option.label} choices={option.choices} taken={value as string[]} onTaken={onValue} />;
  }
  if (option.kind === "headers") return <Headers name={name} value={value as string | null} {...{ names, onValue }} />;
  const input = inputs[option.kind];
  return (
    <Field label={option.label} hint={option.help}>
      {(tied) => (
        <span class="field">
          <input
            {...tied}
            {...input}
            autocomplete="off"
            value={value as string}
            onInput={(event) => onValue(event.currentTarget.value)}
          />
        </span>
      )}
    </Field>
  );
}

type InputKind = "address" | "text" | "texts" | "integer";

/** The form opens with the address focused. */
const inputs: Record<InputKind, JSX.IntrinsicElements["input"] & { "data-focus"?: true }> = {
  address: { "data-focus": true, inputMode: "url", spellcheck: false, placeholder: "https://hooks.example.org/intake" },
  text: { dir: "auto" },
  texts: { spellcheck: false },
  integer: { inputMode: "numeric" },
};

function Choices({
  label,
  choices,
  taken,
  onTaken,
}: {
  label: string;
  choices: readonly string[];
  taken: readonly string[];
  onTaken: (taken: readonly string[]) => void;
}) {
  return (
    <fieldset class="options">
      <legend>{label}</legend>
      {choices.map((choice) => (
        <label key={choice}>
          <input
            type="checkbox"
            checked={taken.includes(choice)}
            onChange={() =>
              onTaken(taken.includes(choice) ? taken.filter((one) => one !== choice) : [...taken, choice])
            }
          />
          <code>{choice}</code>
        </label>
      ))}
    </fieldset>
  );
}

function Headers({
  name,
  value,
  names,
  onValue,
}: {
  name: OptionName;
  value: string | null;
  names: readonly string[];
  onValue: (value: string | null) => void;
}) {
  const { label, help } = optionOf(name);
  const hint =
    names.length === 0
      ? help
      : `It has ${names.join(", ")}; values are never shown. What you write here replaces them.`;
  return (
    <>
      <Field label={label} hint={hint}>
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
