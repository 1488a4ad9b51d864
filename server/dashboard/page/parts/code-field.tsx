import { useEffect, useRef } from "preact/hooks";
import { Field } from "./field.tsx";

/** An input for a code of the authenticator app, which takes a recovery code too. */
export function CodeField({
  kind,
  value,
  onInput,
  wrong,
  focus = true,
}: {
  /** What the person is expected to have. */
  kind: "app" | "recovery";
  value: string;
  onInput: (value: string) => void;
  wrong?: string | undefined;
  focus?: boolean;
}) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (focus || wrong !== undefined) input.current?.focus();
  }, [wrong]);
  return (
    <Field
      label={kind === "app" ? "Code" : "Recovery code"}
      hint={kind === "app" ? "Six digits of your authenticator app, or a recovery code." : "Each works once."}
      wrong={wrong}
    >
      {(tied) => (
        <span class="field">
          <input
            {...tied}
            ref={input}
            class="mono"
            value={value}
            onInput={(event) => onInput(event.currentTarget.value)}
            autocomplete="one-time-code"
            autocapitalize="off"
            spellcheck={false}
            maxLength={40}
            required
          />
        </span>
      )}
    </Field>
  );
}
