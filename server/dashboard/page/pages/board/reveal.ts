/** Height of the foot of a column, where cards fade out; in pixels. */
const fade = 40;

/**
 * Scrolls a board so that the whole card is in sight: the board to the side, the column past everything that covers
 * cards.
 */
export function reveal(card: HTMLElement) {
  card.closest("[data-column]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  const box = card.closest(".cards");
  if (!box) return;
  const [place, view] = [card.getBoundingClientRect(), box.getBoundingClientRect()];
  const above = box.parentElement?.querySelector(".above")?.getBoundingClientRect();
  const top = (above?.bottom ?? view.top) + 4;
  const bottom = view.bottom - fade;
  if (place.top < top) box.scrollTop -= top - place.top;
  else if (place.bottom > bottom) box.scrollTop += Math.min(place.bottom - bottom, place.top - top);
}
