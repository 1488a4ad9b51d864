import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { useLayer } from "../core/layers.ts";
import { useTopLayer } from "../core/top-layer.ts";

/** A question or a form over the page. Focus goes in, stays in, and returns to the control that opened it. */
export function Dialog({
  title,
  intro,
  children,
  footer,
  onClose,
}: {
  title: ComponentChildren;
  intro?: ComponentChildren;
  children?: ComponentChildren;
  footer: ComponentChildren;
  onClose: () => void;
}) {
  const id = useId();
  const [scrim, box] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)];
  useLayer(onClose);
  useTopLayer(scrim);
  useLayoutEffect(() => {
    const wanted = box.current?.querySelector<HTMLElement>("[data-focus]") ?? focusable(box.current)[0];
    wanted?.focus();
  }, []);

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a press beside the dialog closes it; Escape does the same.
    <div
      class="scrim"
      popover="manual"
      ref={scrim}
      onMouseDown={(event) => event.target === event.currentTarget && onClose()}
    >
      <div
        class="dialog"
        role="dialog"
        aria-modal="true"
        aria-labelledby={`${id}-title`}
        ref={box}
        onKeyDown={(event) => keepFocus(event, box.current)}
      >
        <div class="top">
          <h1 id={`${id}-title`}>{title}</h1>
          {intro !== undefined && <p>{intro}</p>}
        </div>
        <div class="tear" aria-hidden="true" />
        <div class="paper">
          {children !== undefined && <div class="rest">{children}</div>}
          <footer>{footer}</footer>
        </div>
      </div>
    </div>
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
