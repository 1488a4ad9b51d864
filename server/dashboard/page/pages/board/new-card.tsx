import { useEffect, useRef, useState } from "preact/hooks";
import { api, done } from "../../core/api.ts";
import { draftOf, keepDraft } from "../../core/draft.ts";
import { failureOf } from "../../core/load.ts";
import { newOp } from "../../core/op.ts";
import { speak } from "../../core/say.ts";
import type { Column } from "./order.ts";
import type { BoardStore } from "./store.ts";

/** Name of the draft that keeps the title of a new card of this board. */
export const newCardDraft = (boardId: string) => `new card ${boardId}`;

/** The form for a new card at the top of its column: Enter creates the card and begins the next one. */
export function NewCard({ store, column, onClose }: { store: BoardStore; column: Column; onClose: () => void }) {
  const draft = newCardDraft(store.id);
  const [title, setTitle] = useState(store.begun || draftOf(draft) || "");
  const [wrong, setWrong] = useState<string>();
  const [busy, setBusy] = useState(false);
  const op = useRef(newOp());
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    store.begun = "";
    area.current?.focus();
  }, []);
  // The draft is kept, because the form also disappears when the session ends or somebody deletes the column.
  useEffect(() => keepDraft(draft, title || undefined), [draft, title]);

  function close() {
    keepDraft(draft, undefined);
    onClose();
  }

  async function create() {
    if (title === "" || busy) return;
    setBusy(true);
    try {
      // The same `op` until the call worked, so that a second try makes no second card.
      const card = await done(api.cards.post({ op: op.current, columnId: column.id, title }));
      op.current = newOp();
      store.put(card);
      speak(`Created in ${column.name}.`);
      setTitle("");
      setWrong(undefined);
    } catch (error) {
      setWrong(failureOf(error).message);
    } finally {
      setBusy(false);
      area.current?.focus();
    }
  }

  function key(event: KeyboardEvent) {
    if (event.isComposing) return;
    if (event.key === "Escape") {
      event.preventDefault();
      close();
    }
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      void create();
    }
  }

  return (
    <div class="card writing">
      <textarea
        ref={area}
        dir="auto"
        rows={2}
        aria-label={`Title of a new card in ${column.name}`}
        aria-invalid={wrong !== undefined}
        placeholder="What is to be done?"
        value={title}
        onInput={(event) => setTitle(event.currentTarget.value.replaceAll("\n", " "))}
        onKeyDown={key}
      />
      {wrong !== undefined && (
        <p class="text-err small" role="alert">
          {wrong}
        </p>
      )}
      <div class="row">
        <button type="button" class="btn primary" disabled={title === "" || busy} onClick={() => void create()}>
          Create card
        </button>
        <button type="button" class="btn ghost" onClick={close}>
          Close
        </button>
        <button
          type="button"
          class="btn ghost right"
          onClick={() => {
            store.creating.value = { columnId: column.id, title };
            close();
          }}
        >
          More…
        </button>
      </div>
    </div>
  );
}
