import { Field } from "./field.tsx";

/** The input of a day and a time of day in the reader's time zone, as the browser writes them: `2026-11-23T08:00`. */
export function MomentField({
  label,
  hint,
  wrong,
  value,
  onValue,
  focused = false,
  disabled = false,
}: {
  label: string;
  hint?: string;
  wrong?: string | undefined;
  value: string;
  onValue: (value: string) => void;
  focused?: boolean;
  disabled?: boolean;
}) {
  return (
    <Field label={label} hint={hint} wrong={wrong}>
      {(tied) => (
        <span class="field">
          <input
            {...tied}
            data-focus={focused || undefined}
            type="datetime-local"
            required
            value={value}
            disabled={disabled}
            onInput={(event) => onValue(event.currentTarget.value)}
          />
        </span>
      )}
    </Field>
  );
}
