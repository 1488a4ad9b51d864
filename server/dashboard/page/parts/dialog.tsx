import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useLayer } from "../core/layers.ts";
import { useTopLayer } from "../core/top-layer.ts";

/**
 * A question or a form over the page. Focus goes in, stays in, and returns to the control that opened it. Escape and a
 * press beside the dialog close it; when somebody typed into a form in the dialog, they ask first.
 */
export function Dialog({
  title,
  intro,
  children,
  footer,
  kept = false,
  onClose,
}: {
  title: ComponentChildren;
  intro?: ComponentChildren;
  children?: ComponentChildren;
  footer: ComponentChildren;
  /** Whether `onClose` keeps what was typed: then nobody is asked. */
  kept?: boolean;
  onClose: () => void;
}) {
  const id = useId();
  const [backdrop, box] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)];
  /** Whether a form in the dialog was filled in. A search in a list is no form, and a password is quickly typed again. */
  const typed = useRef(false);
  const [asking, setAsking] = useState(false);
  const leave = () => (typed.current && !kept ? setAsking(true) : onClose());
  const stay = () => setAsking(false);
  useLayer(leave);
  useTopLayer(backdrop);
  useLayoutEffect(() => {
    const wanted = box.current?.querySelector<HTMLElement>("[data-focus]") ?? focusable(box.current)[0];
    wanted?.focus();
  }, []);

  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Escape does the same as a press beside the dialog. */}
      <div
        class="backdrop"
        popover="manual"
        ref={backdrop}
        onMouseDown={(event) => {
          if (event.target !== event.currentTarget) return;
          // The focus stays where it is, for whoever goes on.
          event.preventDefault();
          leave();
        }}
      >
        <div
          class="dialog"
          role="dialog"
          aria-modal="true"
          aria-labelledby={`${id}-title`}
          ref={box}
          onInput={({ target }) => {
            typed.current ||= (target as Element).matches("form :not([type=password])");
          }}
          onKeyDown={(event) => keepFocus(event, box.current)}
        >
          <div class="top">
            <h1 id={`${id}-title`}>{title}</h1>
            {intro !== undefined && <p>{intro}</p>}
          </div>
          <div class="tear-line" aria-hidden="true" />
          <div class="dialog-body">
            {children !== undefined && <div class="rest">{children}</div>}
            <footer>{footer}</footer>
          </div>
        </div>
      </div>
      {asking && (
        <Dialog
          title="Discard what you typed?"
          onClose={stay}
          footer={
            <>
              <button type="button" class="btn right" data-focus onClick={stay}>
                Keep typing
              </button>
              <button type="button" class="btn solid-danger" onClick={onClose}>
                Discard
              </button>
            </>
          }
        />
      )}
    </>
  );
}

function keepFocus(event: KeyboardEvent, box: HTMLElement | null) {
  if (event.key !== "Tab") return;
  const all = focusable(box);
  const [first, last] = [all[0], all.at(-1)];
  const edge = event.shiftKey ? first : last;
  if (document.activeElement !== edge && box?.contains(document.activeElement)) return;
  event.preventDefault();
  (event.shiftKey ? last : first)?.focus();
}

function focusable(box: HTMLElement | null): HTMLElement[] {
  const selector = "a[href], button:not([disabled]), input:not([disabled]), select, textarea, [tabindex='0']";
  return [...(box?.querySelectorAll<HTMLElement>(selector) ?? [])].filter((element) => element.checkVisibility());
}
