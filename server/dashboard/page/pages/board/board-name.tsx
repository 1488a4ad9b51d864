import { useState } from "preact/hooks";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";

export interface BoardNameProps {
  title: string;
  verb: string;
  name: string;
  onSave: (name: string) => Promise<void>;
  onClose: () => void;
}

/** Asks for the name of a board, a new one or one that is renamed. */
export default function BoardName({ title, verb, name: begun, onSave, onClose }: BoardNameProps) {
  const [name, setName] = useState(begun);
  return (
    <FormDialog title={title} verb={verb} onSubmit={() => onSave(name).then(onClose)} onClose={onClose}>
      <Field label="Name">
        {(tied) => (
          <input
            class="field"
            dir="auto"
            required
            maxLength={80}
            data-focus
            {...tied}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}
