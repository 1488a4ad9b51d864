import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { failureOf } from "../core/load.ts";
import { Dialog } from "./dialog.tsx";
import { Note } from "./note.tsx";

/** Asks before an action that cannot be undone: names the thing and the effect; Cancel has the focus first. */
export function Confirm({
  title,
  verb,
  keep = "Cancel",
  children,
  typed,
  onConfirm,
  onClose,
}: {
  title: ComponentChildren;
  /** The label of the button: "Revoke token". */
  verb: string;
  /** The label of the other button, when "Cancel" could be misread: "Keep the agent". */
  keep?: string;
  children: ComponentChildren;
  /** A name that the person has to type first, when something in use would break. */
  typed?: string | undefined;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}) {
  const [text, setText] = useState("");
  const [failed, setFailed] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function confirm() {
    setBusy(true);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setFailed(failureOf(error).message);
      setBusy(false);
    }
  }

  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <button type="button" class="btn right" data-focus onClick={onClose}>
            {keep}
          </button>
          <button
            type="button"
            class="btn solid-danger"
            disabled={busy || (typed !== undefined && text !== typed)}
            onClick={confirm}
          >
            {verb}
          </button>
        </>
      }
    >
      <div class="stack">{children}</div>
      {typed !== undefined && (
        <label class="stacked">
          <span>
            Type <b class="mono">{typed}</b> to confirm
          </span>
          <span class="field">
            <input value={text} onInput={(event) => setText(event.currentTarget.value)} autocomplete="off" />
          </span>
        </label>
      )}
      {failed !== undefined && <Note tone="err">{failed}</Note>}
    </Dialog>
  );
}
