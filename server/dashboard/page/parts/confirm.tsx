import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { failureOf } from "../core/load.ts";
import { Dialog } from "./dialog.tsx";
import { Note } from "./note.tsx";

/** Before what cannot be taken back: names the thing and the effect, and begins on Cancel. */
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
  /** What the button does: "Revoke token". */
  verb: string;
  /** What the other button does, where "Cancel" could be misread: "Keep the agent". */
  keep?: string;
  children: ComponentChildren;
  /** A name that has to be typed first, where something in use breaks. */
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
        <label class="pile">
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
