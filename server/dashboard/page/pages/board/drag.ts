import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { useLayer } from "../../core/layers.ts";
import { speak } from "../../core/say.ts";
import { moveCard } from "./move.ts";
import { type Place, placeOf, type Target } from "./order.ts";
import type { BoardStore } from "./store.ts";

interface Dragged {
  id: string;
  /** The place where the card would be dropped; `line` is the gap that is marked. */
  over: (Target & { line: number }) | undefined;
  /** Whether the card lies over the agent: dropped there, it is assigned to the agent. */
  agent: boolean;
}

/** The card that is being dragged with a pointer. */
export const dragged = signal<Dragged | undefined>(undefined);
/** The place from which a card was picked up with the keyboard. */
export const carried = signal<Place | undefined>(undefined);

const mouseThreshold = 4;
const touchSlop = 8;
const holdMilliseconds = 300;
const edge = 56;

interface Grab {
  item: HTMLElement;
  id: string;
  x: number;
  y: number;
  offset: { x: number; y: number };
  pointerId: number;
}

/**
 * Drags cards with mouse, pen or, after a short hold, a finger. Returns the handlers for the board; `keep` has to be
 * there from the beginning, otherwise the browser scrolls with the finger that drags.
 */
export function useDrag(
  store: BoardStore,
  board: () => HTMLElement | null,
  onTab: (columnId: string) => void,
  onAgent: (id: string) => void,
): Pick<ReturnType<typeof dragOf>, "down" | "keep"> {
  const drag = useMemo(() => dragOf(store, board, onTab, onAgent), [store]);
  useEffect(() => drag.end, [drag]);
  return drag;
}

function dragOf(
  store: BoardStore,
  board: () => HTMLElement | null,
  onTab: (columnId: string) => void,
  onAgent: (id: string) => void,
) {
  let grab: Grab | undefined;
  let ghost: HTMLElement | undefined;
  let hold: ReturnType<typeof setTimeout> | undefined;
  let frame = 0;
  let from = { x: 0, y: 0 };

  function down(event: PointerEvent) {
    const item = (event.target as Element).closest<HTMLElement>("[data-card]");
    if (!item || event.button !== 0 || !event.isPrimary || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const { clientX: x, clientY: y, pointerId } = event;
    const box = item.getBoundingClientRect();
    grab = { item, id: item.dataset["card"] ?? "", x, y, offset: { x: x - box.left, y: y - box.top }, pointerId };
    from = { x, y };
    addEventListener("pointermove", move);
    addEventListener("pointerup", up);
    addEventListener("pointercancel", taken);
    if (event.pointerType !== "touch") return;
    hold = setTimeout(lift, holdMilliseconds);
    addEventListener("contextmenu", keep);
  }

  function move({ clientX: x, clientY: y, pointerType, pointerId }: PointerEvent) {
    if (!grab || pointerId !== grab.pointerId) return;
    const far = Math.hypot(x - from.x, y - from.y);
    if (!ghost && pointerType === "touch") {
      if (far > touchSlop) end();
      return;
    }
    Object.assign(grab, { x, y });
    if (!ghost && far >= mouseThreshold) lift();
  }

  function lift() {
    const element = board();
    if (!grab || !element) return;
    const { item, id } = grab;
    ghost = item.cloneNode(true) as HTMLElement;
    for (const name of ["data-card", "data-index"]) ghost.removeAttribute(name);
    ghost.classList.add("ghost");
    ghost.inert = true;
    ghost.ariaHidden = "true";
    Object.assign(ghost.style, { width: `${item.offsetWidth}px`, top: "0", left: "0" });
    // The ghost is added beside the columns, because columns cut off what lies in them.
    element.parentElement?.append(ghost);
    store.freeze();
    cancelDrag = cancel;
    dragged.value = { id, over: undefined, agent: false };
    frame = requestAnimationFrame(follow);
  }

  /** Runs once a frame: moves the card, scrolls columns near their edges and marks where the card would be dropped. */
  function follow() {
    if (!grab || !ghost) return;
    const { x, y, offset } = grab;
    ghost.style.transform = `translate(${x - offset.x}px, ${y - offset.y}px) rotate(var(--tilt))`;
    const tab = [...document.querySelectorAll<HTMLElement>("[data-tab]")].find((tab) => holds(tab, x, y));
    if (tab) onTab(tab.dataset["tab"] ?? "");
    const { over, agent } = targetAt(grab);
    if (!agent) scrollAt(board(), x, y);
    const now = dragged.value;
    const same = over?.columnId === now?.over?.columnId && over?.line === now?.over?.line && agent === now?.agent;
    if (!same) dragged.value = { id: grab.id, over, agent };
    frame = requestAnimationFrame(follow);
  }

  function targetAt({ id, x, y }: Grab): Pick<Dragged, "over" | "agent"> {
    const agentTarget = document.querySelector<HTMLElement>("[data-agent]");
    const agent = agentTarget !== null && holds(agentTarget, x, y);
    const column = agent ? undefined : columnAt(board(), x);
    return { over: column && targetIn(column, y, id), agent };
  }

  function up({ clientX: x, clientY: y, pointerId }: PointerEvent) {
    if (pointerId !== grab?.pointerId) return;
    if (!ghost) return end();
    const { id } = grab;
    // Uses the position of the pointer now, which the last frame may not have seen.
    const { over, agent } = targetAt({ ...grab, x, y });
    // The press that ends a drag ends on a link, which must not be followed. The next press counts again.
    addEventListener("click", swallow, { capture: true, once: true });
    addEventListener("pointerdown", () => removeEventListener("click", swallow, true), { capture: true, once: true });
    end();
    if (agent) onAgent(id);
    else if (over) void moveCard(store, id, over);
  }

  function cancel() {
    if (ghost) speak("Cancelled.");
    end();
  }

  /** The browser took the pointer to scroll. */
  function taken({ pointerId }: PointerEvent) {
    if (pointerId === grab?.pointerId) cancel();
  }

  function end() {
    clearTimeout(hold);
    cancelAnimationFrame(frame);
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", up);
    removeEventListener("pointercancel", taken);
    removeEventListener("contextmenu", keep);
    grab = undefined;
    if (!ghost) return;
    ghost.remove();
    ghost = undefined;
    dragged.value = undefined;
    store.thaw();
  }

  function keep(event: Event) {
    // A browser that has begun to scroll with the finger lets nobody prevent it, and takes the pointer.
    if (ghost && event.cancelable) event.preventDefault();
  }

  return { down, keep, end };
}

let cancelDrag = () => {};

/** The layer of a drag: Escape puts the card back and closes nothing else. */
export function DragLayer() {
  useLayer(() => cancelDrag());
  return null;
}

/** Swallows the click after a drag. Keys click without a press, so their clicks always count. */
function swallow(event: MouseEvent) {
  if (event.detail === 0) return;
  event.preventDefault();
  event.stopPropagation();
}

function scrollAt(board: HTMLElement | null, x: number, y: number) {
  if (!board) return;
  const frame = board.getBoundingClientRect();
  board.scrollLeft += speedAt(x, frame.left, frame.right);
  const cards = columnAt(board, x)?.querySelector<HTMLElement>(".cards");
  if (!cards) return;
  const { top, bottom } = cards.getBoundingClientRect();
  cards.scrollTop += speedAt(y, top, bottom);
}

function columnAt(board: HTMLElement | null, x: number): HTMLElement | undefined {
  return [...(board?.querySelectorAll<HTMLElement>("[data-column]") ?? [])].find((column) => {
    const { left, right } = column.getBoundingClientRect();
    return x >= left && x < right;
  });
}

/** Pixels to scroll in one frame: more, the nearer the pointer is to the edge. */
function speedAt(at: number, start: number, end: number): number {
  if (at < start + edge) return -Math.min(18, (start + edge - at) / 4);
  return at > end - edge ? Math.min(18, (at - end + edge) / 4) : 0;
}

function targetIn(column: HTMLElement, y: number, id: string): (Target & { line: number }) | undefined {
  const columnId = column.dataset["column"] ?? "";
  const items = [...column.querySelectorAll<HTMLElement>("[data-card]")];
  const below = items.find((item) => {
    const { top, height } = item.getBoundingClientRect();
    return y < top + height / 2;
  });
  const last = items.at(-1);
  const line = below ? indexOf(below) : last ? indexOf(last) + 1 : 0;
  const own = items.find((item) => item.dataset["card"] === id);
  const index = own && indexOf(own) < line ? line - 1 : line;
  return own && index === indexOf(own) ? undefined : { columnId, index, line };
}

function indexOf(item: HTMLElement): number {
  return Number(item.dataset["index"]);
}

function holds(element: HTMLElement, x: number, y: number): boolean {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return x >= left && x < right && y >= top && y < bottom;
}

/** The place of a card in words, for screen readers. */
export function spokenPlace(store: BoardStore, id: string): string {
  const place = placeOf(store.columns.value, id);
  return place ? `position ${place.index + 1} of ${place.column.count} in ${place.column.name}` : "";
}
