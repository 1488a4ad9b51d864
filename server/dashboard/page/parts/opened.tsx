import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useAnchored } from "../core/anchored.ts";
import { useLayer } from "../core/layers.ts";
import { narrow } from "../core/narrow.ts";
import { useTopLayer } from "../core/top-layer.ts";
import { Icon } from "./icon.tsx";

/**
 * The box that a control in a `.menu-anchor` opened: beside the control, or on a phone a sheet at the lower edge. A
 * press beside the box closes it, and so does Escape.
 */
export function Opened({
  box,
  edge,
  label,
  onClose,
  children,
}: {
  /** The menu or dialog in the box. */
  box: RefObject<HTMLElement | null>;
  /** The edge of the control that the box is aligned with. */
  edge: "start" | "end";
  label: string;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const layer = useRef<HTMLDivElement>(null);
  useLayer(onClose);
  useTopLayer(layer);
  useAnchored(box, edge);
  useEffect(() => {
    const outside = ({ target }: MouseEvent) => {
      if (!narrow.value && !layer.current?.parentElement?.contains(target as Node)) onClose();
    };
    addEventListener("mousedown", outside);
    return () => removeEventListener("mousedown", outside);
  }, []);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape does the same
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <div
      class="layer"
      popover="manual"
      ref={layer}
      onClick={(event) => event.target === event.currentTarget && onClose()}
    >
      {narrow.value && (
        <div class="name">
          <b class="ellipsis" dir="auto">
            {label}
          </b>
          <button type="button" class="btn ghost square right" aria-label="Close" onClick={onClose}>
            <Icon name="x" />
          </button>
        </div>
      )}
      {children}
    </div>
  );
}
