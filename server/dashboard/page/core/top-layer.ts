import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/**
 * Shows an element that has `popover="manual"` in the browser's top layer, where no other element cuts it off and only
 * a later one of the layer lies over it.
 */
export function useTopLayer(element: RefObject<HTMLElement | null>) {
  useLayoutEffect(() => element.current?.showPopover(), []);
}
