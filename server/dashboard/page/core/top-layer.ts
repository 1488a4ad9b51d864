import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/**
 * Shows an element that has `popover="manual"` in the browser's top layer: whatever it stands in, nothing cuts it off
 * and nothing but a later one lies over it.
 */
export function useTopLayer(element: RefObject<HTMLElement | null>) {
  useLayoutEffect(() => element.current?.showPopover(), []);
}
