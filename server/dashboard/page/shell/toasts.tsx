import { useLayoutEffect, useRef } from "preact/hooks";
import { layers } from "../core/layers.ts";
import { dismiss, spoken, toasts } from "../core/say.ts";

export function Toasts() {
  const box = useRef<HTMLDivElement>(null);
  // Shown again, so that the toast lies above a dialog that was opened meanwhile.
  useLayoutEffect(() => {
    box.current?.hidePopover();
    if (toasts.value.length > 0) box.current?.showPopover();
  }, [toasts.value, layers.value]);
  return (
    <div role="status" aria-live="polite">
      <div class="toasts" popover="manual" ref={box}>
        {toasts.value.map(({ id, text, undo, open, bad }) => (
          <div class={`toast${bad ? " bad" : ""}`} key={id}>
            <span class="words" dir="auto" title={text}>
              {text}
            </span>
            {open !== undefined && (
              <a class="btn" href={open} data-over onClick={() => dismiss(id)}>
                Open
              </a>
            )}
            {undo && (
              <button
                type="button"
                class="btn"
                onClick={() => {
                  dismiss(id);
                  undo();
                }}
              >
                Undo <span class="kbd">Z</span>
              </button>
            )}
          </div>
        ))}
      </div>
    </div>
  );
}

/** Announcements for screen readers, such as moves of a card and changed counts. */
export function Spoken() {
  return (
    <div class="sr-only" role="log" aria-live="assertive">
      {spoken.value}
    </div>
  );
}
