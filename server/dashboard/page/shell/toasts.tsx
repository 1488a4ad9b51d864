import { dismiss, spoken, toasts } from "../core/say.ts";

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, undo, bad }) => (
        <div class={`toast${bad ? " bad" : ""}`} key={id}>
          <span dir="auto">{text}</span>
          {undo && (
            <button
              type="button"
              class="btn"
              onClick={() => {
                dismiss(id);
                undo();
              }}
            >
              Undo <span class="k">Z</span>
            </button>
          )}
        </div>
      ))}
    </div>
  );
}

/** For screen readers: moves of a card, counts that changed. */
export function Spoken() {
  return (
    <div class="sr" role="log" aria-live="assertive">
      {spoken.value}
    </div>
  );
}
