import { useState } from "preact/hooks";
import { failureOf } from "../../core/load.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { Note } from "../../parts/note.tsx";

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
  const [wrong, setWrong] = useState<string>();
  async function save(event: Event) {
    event.preventDefault();
    try {
      await onSave(name);
      onClose();
    } catch (error) {
      setWrong(failureOf(error).message);
    }
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <button type="button" class="btn right" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" form="board-name" class="btn primary">
            {verb}
          </button>
        </>
      }
    >
      <form id="board-name" class="pile" onSubmit={(event) => void save(event)}>
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
        {wrong !== undefined && <Note tone="err">{wrong}</Note>}
      </form>
    </Dialog>
  );
}
