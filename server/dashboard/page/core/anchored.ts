import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { narrow } from "./narrow.ts";

/** Pixels between the control and its box, and between the box and the edges of the window. */
const [gap, margin] = [4, 8];

/**
 * Keeps a box beside the control that opened it and within the window: below the control when there is room, otherwise
 * above. On a phone the style sheet places the box at the lower edge.
 */
export function useAnchored(box: RefObject<HTMLElement | null>, edge: "start" | "end") {
  useLayoutEffect(() => {
    const { current } = box;
    const anchor = current?.closest(".menu-anchor");
    if (!current || !anchor) return;
    const place = () => Object.assign(current.style, narrow.value ? nowhere : placeOf(anchor, current, edge));
    place();
    // The box changes its size while somebody types into it, and the control may be scrolled.
    const watch = new ResizeObserver(place);
    watch.observe(current);
    addEventListener("resize", place);
    addEventListener("scroll", place, { capture: true, passive: true });
    return () => {
      watch.disconnect();
      removeEventListener("resize", place);
      removeEventListener("scroll", place, { capture: true });
    };
  }, []);
}

const nowhere = { left: "", top: "", bottom: "", maxHeight: "" };

function placeOf(anchor: Element, box: HTMLElement, edge: "start" | "end") {
  const { left, right, top, bottom } = anchor.getBoundingClientRect();
  const wanted = edge === "start" ? left : right - box.offsetWidth;
  const below = innerHeight - bottom - gap - margin;
  const above = top - gap - margin;
  const under = box.scrollHeight <= below || below >= above;
  return {
    left: `${Math.max(margin, Math.min(wanted, innerWidth - box.offsetWidth - margin))}px`,
    top: under ? `${bottom + gap}px` : "auto",
    bottom: under ? "auto" : `${innerHeight - top + gap}px`,
    maxHeight: `${under ? below : above}px`,
  };
}
