import { useState } from "preact/hooks";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";

/** Asks for a name, and for nothing else. */
export function Named({
  title,
  verb,
  begun = "",
  onSave,
  onClose,
}: {
  title: string;
  verb: string;
  begun?: string;
  onSave: (name: string) => Promise<void>;
  onClose: () => void;
}) {
  const [name, setName] = useState(begun);
  return (
    <FormDialog
      title={title}
      verb={verb}
      ready={name.trim() !== ""}
      onClose={onClose}
      onSubmit={async () => {
        await onSave(name.trim());
        onClose();
      }}
    >
      <Field label="Name">
        {(tied) => (
          <input
            {...tied}
            class="field"
            data-focus
            dir="auto"
            autocomplete="off"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}
