import type { ComponentChildren } from "preact";
import { type Field as FieldOfSubject, type Fields, formFields } from "../../../core/fields.ts";
import { boot } from "../core/boot.ts";
import { Field } from "./field.tsx";
import { choicesOf, type Draft, type Form, isTooLong, maxOf } from "./field-draft.ts";

/** The inputs of a form, one for each field of the subject that has a label. */
export function FieldInputs<F extends Fields>({
  fields,
  form,
  names,
  draft,
  onDraft,
  hints = {},
}: {
  fields: F;
  form: Form;
  /** The order of the fields, when it differs from that of the table. */
  names?: readonly (keyof F & string)[];
  draft: Draft<F>;
  onDraft: (draft: Draft<F>) => void;
  /** Notes below an input, instead of the help of its field. */
  hints?: { [N in keyof F]?: ComponentChildren };
}) {
  const shown = formFields(fields, form);
  const ordered = names ? names.flatMap((name) => shown.filter(([one]) => one === name)) : shown;
  return (
    <>
      {ordered.map(([name, field], i) => (
        <Input
          key={name}
          name={name}
          field={field}
          hint={hints[name] ?? field.help}
          focused={i === 0}
          value={draft[name]}
          onValue={(value) => onDraft({ ...draft, [name]: value })}
        />
      ))}
    </>
  );
}

interface InputProps {
  name: string;
  field: FieldOfSubject;
  hint: ComponentChildren;
  focused: boolean;
  value: unknown;
  onValue: (value: unknown) => void;
}

function Input(props: InputProps) {
  const { field, value, onValue } = props;
  if (field.kind === "projects") return <ProjectsInput {...props} />;
  const choices = choicesOf(field);
  if (choices) return <ChoicesInput {...props} choices={choices} />;
  const { label, placeholder } = field;
  const isText = field.kind === "name" || field.kind === "text";
  const code = field.kind === "address" ? "address" : field.code;
  const wrong = isText && isTooLong(field, value) ? `At most ${maxOf(field)} characters.` : undefined;
  return (
    <Field label={label} hint={props.hint} wrong={wrong}>
      {(tied) => {
        const text = {
          ...tied,
          value: value as string,
          "data-focus": props.focused,
          onInput: (event: { currentTarget: { value: string } }) => onValue(event.currentTarget.value),
        };
        if (field.kind === "texts") return <textarea {...text} class="field mono" spellcheck={false} />;
        if (field.kind === "id") return <ProjectSelect {...text} />;
        if (field.kind === "choice") return <Options {...text} of={field.of} />;
        return (
          <span class={isText || code ? "field" : "field width-120"}>
            <input
              {...text}
              dir={isText && !code ? "auto" : undefined}
              spellcheck={code ? false : undefined}
              inputMode={code === "address" ? "url" : isText ? undefined : "numeric"}
              autocomplete="off"
              placeholder={placeholder}
            />
          </span>
        );
      }}
    </Field>
  );
}

interface SelectProps {
  value: string;
  onInput: (event: { currentTarget: { value: string } }) => void;
}

function ProjectSelect(tied: SelectProps) {
  return (
    <select {...tied} class="field">
      {boot.value.projects.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

function Options({ of, ...tied }: SelectProps & { of: readonly string[] }) {
  return (
    <select {...tied} class="field">
      {of.map((choice) => (
        <option key={choice}>{choice}</option>
      ))}
    </select>
  );
}

function ProjectsInput({ name, field: { label, empty }, value, onValue }: InputProps) {
  const draft = value as Draft<{ projects: { kind: "projects"; column: string } }>["projects"];
  const { all, chosen } = draft;
  return (
    <fieldset class="options">
      <legend>{label}</legend>
      <label>
        <input type="radio" name={name} checked={all} onChange={() => onValue({ ...draft, all: true })} />
        <span>All projects, also ones made later</span>
      </label>
      <label>
        <input type="radio" name={name} checked={!all} onChange={() => onValue({ ...draft, all: false })} />
        <span>
          Only these <small>later projects are not added</small>
        </span>
      </label>
      {!all && (
        <div class="chosen">
          {boot.value.projects.map(({ id, name }) => (
            <label key={id}>
              <input
                type="checkbox"
                checked={chosen.includes(id)}
                onChange={() => onValue({ ...draft, chosen: toggled(chosen, id) })}
              />
              <span dir="auto">{name}</span>
            </label>
          ))}
        </div>
      )}
      {!all && chosen.length === 0 && <p class="text-warn">{empty}</p>}
    </fieldset>
  );
}

function ChoicesInput({
  field: { label, empty },
  value,
  onValue,
  choices,
}: InputProps & { choices: readonly { value: string; about?: string }[] }) {
  const chosen = value as readonly string[];
  return (
    <fieldset class="options">
      <legend>{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value}>
          <input
            type="checkbox"
            checked={chosen.includes(choice.value)}
            onChange={() => onValue(toggled(chosen, choice.value))}
          />
          <span>
            <code>{choice.value}</code> {choice.about !== undefined && <small>{choice.about}</small>}
          </span>
        </label>
      ))}
      {chosen.length === 0 && <p class="text-warn">{empty}</p>}
    </fieldset>
  );
}

function toggled(list: readonly string[], value: string): string[] {
  return list.includes(value) ? list.filter((one) => one !== value) : [...list, value];
}
