import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { failureOf } from "../core/load.ts";
import { Dialog } from "./dialog.tsx";
import { Note } from "./note.tsx";

/** A form over the page. When the server refuses it, it stays open and shows the reason. */
export function FormDialog({
  title,
  intro,
  verb,
  ready = true,
  onSubmit,
  onClose,
  children,
}: {
  title: ComponentChildren;
  intro?: ComponentChildren;
  /** The label of the button: "Create token". */
  verb: string;
  ready?: boolean;
  onSubmit: () => Promise<unknown>;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const id = useId();
  const [failed, setFailed] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    if (busy || !ready) return;
    setBusy(true);
    setFailed(undefined);
    try {
      await onSubmit();
    } catch (error) {
      setFailed(failureOf(error).message);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Dialog
      title={title}
      intro={intro}
      onClose={onClose}
      footer={
        <>
          <button type="button" class="btn right" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" form={id} class="btn primary" disabled={busy || !ready}>
            {verb}
          </button>
        </>
      }
    >
      <form id={id} class="stack" onSubmit={submit}>
        {children}
        {failed !== undefined && <Note tone="err">{failed}</Note>}
      </form>
    </Dialog>
  );
}
