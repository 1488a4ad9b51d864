import { useState } from "preact/hooks";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";

/** A dialog that asks for a name, of a project or a board. */
export function NameDialog({
  title,
  verb,
  initial = "",
  onSave,
  onClose,
}: {
  title: string;
  verb: string;
  initial?: string;
  onSave: (name: string) => Promise<void>;
  onClose: () => void;
}) {
  const [name, setName] = useState(initial);
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
