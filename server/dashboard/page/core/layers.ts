import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

interface Layer {
  close: () => void;
}

/**
 * The layers over the page, the topmost last. Escape closes only the topmost one, and focus returns to the control that
 * opened it.
 */
export const layers = signal<readonly Layer[]>([]);

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
  const top = layers.value.at(-1);
  if (!top) return;
  event.preventDefault();
  top.close();
});

/** Registers a dialog, a menu or the palette as a layer while the component is mounted. */
export function useLayer(close: () => void) {
  const latest = useRef(close);
  latest.current = close;
  // A layout effect, so that a key pressed right after opening finds the layer.
  useLayoutEffect(() => {
    const opener = document.activeElement as HTMLElement | null;
    const layer: Layer = { close: () => latest.current() };
    layers.value = [...layers.value, layer];
    return () => {
      layers.value = layers.value.filter((other) => other !== layer);
      if (opener?.isConnected) opener.focus();
    };
  }, []);
}
