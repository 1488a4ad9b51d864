import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { CardFace } from "./card.tsx";
import { carried, dragged } from "./drag.ts";
import type { Column as ColumnState } from "./order.ts";
import { reveal } from "./reveal.ts";
import type { BoardStore } from "./store.ts";
import { guessHeight, indexAt, offsetsOf, windowOf } from "./window.ts";

/** Distance in pixels to the end of the loaded cards at which the next cards are loaded. */
const aheadPixels = 1_200;

/** The cards of a column. Only those near the visible part are rendered, and what the person looks at does not move. */
export function Cards({
  store,
  column,
  dense,
  stop,
}: {
  store: BoardStore;
  column: ColumnState;
  dense: boolean;
  stop: string | undefined;
}) {
  const { cards } = column;
  const box = useRef<HTMLDivElement>(null);
  const measured = useRef(new Map<string, number>());
  const [view, setView] = useState({ top: 0, height: 900 });
  const [, measureAgain] = useState(0);
  const [above, setAbove] = useState(0);
  const lead = useRef(0);
  const room = useRef(0);

  const heights = cards.map((card) => measured.current.get(card.id) ?? guessHeight(card, dense));
  const offsets = offsetsOf(heights);
  const { from, to } = windowOf(offsets, view.top - lead.current, view.height);
  const indexes = Array.from({ length: to - from }, (_, i) => from + i);
  // The focused card stays rendered, however far the column is scrolled.
  const focused = cards.findIndex(({ id }) => id === stop);
  if (focused >= 0 && (focused < from || focused >= to))
    focused < from ? indexes.unshift(focused) : indexes.push(focused);

  const before = useRef({ cards, offsets });
  useLayoutEffect(() => {
    const { current } = box;
    if (!current) return;
    // Cards that arrive above the visible ones must not push them down.
    if (before.current.cards !== cards) {
      const old = before.current;
      const anchor = anchorOf(current, store, old.cards, old.offsets, lead.current);
      const now = anchor === undefined ? -1 : cards.findIndex(({ id }) => id === anchor.id);
      if (anchor && now >= 0) {
        const known = new Set(old.cards.map(({ id }) => id));
        const news = indexesOf(cards.slice(0, now), ({ id }) => !known.has(id));
        // A card that this person put here makes the others move: it does not count as an arrival.
        const own = news.filter((index) => store.isOwn(cards[index]?.id ?? ""));
        const room = own.reduce((sum, index) => sum + (offsets[index + 1] ?? 0) - (offsets[index] ?? 0), 0);
        const by = (offsets[now] ?? 0) - anchor.offset - room;
        const arrived = news.length - own.length;
        if (by !== 0) scrollBy(current, by);
        if (arrived > 0) setAbove((count) => count + arrived);
      }
    }
    before.current = { cards, offsets };
  }, [cards]);

  function scrollBy(element: HTMLElement, by: number) {
    const wanted = element.scrollTop + by;
    lead.current = Math.max(0, lead.current - wanted);
    // Adds room below the cards also where they do not fill the column, so that it can scroll while the pointer is on a
    // card.
    room.current = wanted > 0 ? wanted + element.clientHeight : 0;
    const list = element.querySelector("ol");
    if (list) Object.assign(list.style, listStyle());
    element.scrollTop = Math.max(0, wanted);
    setView({ top: element.scrollTop, height: element.clientHeight });
  }

  function listStyle() {
    return {
      height: `${offsets.at(-1) ?? 0}px`,
      marginTop: `${lead.current}px`,
      minHeight: `${room.current}px`,
    };
  }

  // Estimated heights become measured ones; the difference above the visible cards is scrolled away.
  useLayoutEffect(() => {
    const { current } = box;
    if (!current) return;
    let [moved, changed] = [0, false];
    const first = indexAt(offsets, current.scrollTop);
    for (const item of current.querySelectorAll<HTMLElement>("[data-card]")) {
      const id = item.dataset["card"] ?? "";
      const height = item.offsetHeight;
      const index = Number(item.dataset["index"]);
      const former = heights[index];
      if (measured.current.get(id) === height || height === 0) continue;
      measured.current.set(id, height);
      if (former === undefined || former === height) continue;
      changed = true;
      if (index < first) moved += height - former;
    }
    if (moved !== 0) current.scrollTop += moved;
    if (changed) measureAgain((turn) => turn + 1);
  });

  useLayoutEffect(() => {
    const { current } = box;
    if (!current) return;
    const watch = new ResizeObserver(() => {
      measured.current.clear();
      setView({ top: current.scrollTop, height: current.clientHeight });
    });
    watch.observe(current);
    return () => watch.disconnect();
  }, [dense]);

  const wanted = store.wanted.value;
  useLayoutEffect(() => {
    const index = wanted === undefined ? -1 : cards.findIndex(({ id }) => id === wanted);
    const { current } = box;
    if (index < 0 || !current) return;
    const link = current.querySelector<HTMLElement>(`[data-card="${wanted}"] a`);
    if (!link) {
      scrollTo(current, (offsets[index] ?? 0) + lead.current, heights[index] ?? 0);
      setView({ top: current.scrollTop, height: current.clientHeight });
      return;
    }
    // A phone still shows another column until the page has turned to this one.
    if (!link.checkVisibility()) return;
    store.wanted.value = undefined;
    if (document.activeElement !== link) link.focus({ preventScroll: true });
    const card = link.closest<HTMLElement>("[data-card]");
    if (card) reveal(card);
  });

  useLayoutEffect(() => {
    const end = (offsets.at(-1) ?? 0) - view.top - view.height;
    if (end < aheadPixels && column.next !== null) void store.more(column.id);
    // Otherwise cards that arrive at the top while nobody scrolls would stay loaded for ever.
    else if (view.top <= 0) void store.trim(column.id).catch(() => {});
  }, [view, column]);

  function scrolled(element: HTMLElement) {
    const { scrollTop: top, clientHeight: height } = element;
    if (top <= 0) {
      setAbove(0);
      if (from > 0) void store.trim(column.id).catch(() => {});
    }
    // Some cards are rendered ahead on both sides, so not every scroll renders again.
    if (Math.abs(top - view.top) > 120 || top <= 0) setView({ top, height });
  }

  function toTop() {
    const { current } = box;
    if (!current) return;
    lead.current = 0;
    room.current = 0;
    const list = current.querySelector("ol");
    if (list) Object.assign(list.style, listStyle());
    current.scrollTop = 0;
    setAbove(0);
  }

  const drop = dragged.value?.over;
  const line = drop?.columnId === column.id ? (offsets[drop.line] ?? 0) : undefined;
  const today = store.today;
  return (
    <>
      <div
        class="cards"
        ref={box}
        onScroll={(event) => scrolled(event.currentTarget)}
        onPointerLeave={() => {
          const { current } = box;
          const fits = (offsets.at(-1) ?? 0) <= (current?.clientHeight ?? 0);
          if (lead.current > 0 || (room.current > 0 && fits)) toTop();
        }}
      >
        <ol style={listStyle()} aria-label={`Cards in ${column.name}`}>
          {indexes.map((index) => {
            const card = cards[index];
            if (!card) return null;
            const late = card.dueAt !== null && card.dueAt < today && column.category !== "done";
            const looks = [
              "card",
              store.fresh.value.has(card.id) ? "new" : "",
              store.pending.value.has(card.id) ? "unsent" : "",
              dragged.value?.id === card.id ? "lifted" : "",
              carried.value?.card.id === card.id ? "carried" : "",
              store.chosen.value.has(card.id) ? "chosen" : "",
            ];
            return (
              <li
                key={card.id}
                class={looks.filter((look) => look !== "").join(" ")}
                data-card={card.id}
                data-index={index}
                style={{ top: `${offsets[index] ?? 0}px` }}
                aria-setsize={Math.max(column.count, cards.length)}
                aria-posinset={index + 1}
              >
                <CardFace
                  card={card}
                  late={late}
                  focusable={(stop !== undefined && focused >= 0 ? focused : 0) === index}
                  fresh={store.fresh.value.has(card.id)}
                />
              </li>
            );
          })}
        </ol>
        {line !== undefined && <i class="drop-line" style={{ top: `${line + lead.current}px` }} aria-hidden="true" />}
      </div>
      {above > 0 && (
        <button type="button" class="btn above" onClick={toTop}>
          {above} new <span aria-hidden="true">↑</span>
        </button>
      )}
    </>
  );
}

function indexesOf<Item>(items: readonly Item[], fits: (item: Item) => boolean): number[] {
  return items.flatMap((item, index) => (fits(item) ? [index] : []));
}

/**
 * The card that must not move: the one under the pointer or with the focus; in a scrolled column otherwise the first
 * visible one.
 */
function anchorOf(
  box: HTMLElement,
  store: BoardStore,
  cards: ColumnState["cards"],
  offsets: readonly number[],
  lead: number,
): { id: string; offset: number } | undefined {
  const pointed =
    box.querySelector<HTMLElement>("[data-card]:focus-within") ?? box.querySelector<HTMLElement>("[data-card]:hover");
  const index =
    pointed && !store.pending.value.has(pointed.dataset["card"] ?? "")
      ? cards.findIndex(({ id }) => id === pointed.dataset["card"])
      : box.scrollTop > 0
        ? indexAt(offsets, box.scrollTop - lead)
        : -1;
  const card = cards[index];
  return card && { id: card.id, offset: offsets[index] ?? 0 };
}

function scrollTo(box: HTMLElement, top: number, height: number) {
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + height > box.scrollTop + box.clientHeight) box.scrollTop = top + height - box.clientHeight + 8;
}
