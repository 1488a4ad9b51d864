import { copy } from "../../core/copy.ts";
import { type Shortcut, useShortcuts } from "../../core/keys.ts";
import { say, speak } from "../../core/say.ts";
import { carried, spokenPlace } from "./drag.ts";
import { moveCard, sendMove, supersede, titleOf } from "./move.ts";
import { type Columns, type Direction, moved, neighbour, placeOf, stepTarget } from "./order.ts";
import type { BoardStore } from "./store.ts";

export type Ask = "move" | "assign" | "priority" | "dates";

/** The keyboard shortcuts of a board: everything that the mouse can do to cards. */
export function useBoardKeys(
  store: BoardStore,
  {
    active,
    shown,
    onAsk,
    onCompose,
    onFilter,
    onClear,
  }: {
    /** False while a card lies over the board. */
    active: boolean;
    shown: Columns;
    onAsk: (ask: Ask, ids: string[]) => void;
    onCompose: (columnId: string) => void;
    onFilter: () => void;
    onClear: () => void;
  },
) {
  const here = () => store.at.value;
  const card = () => {
    const id = here();
    return id === undefined ? undefined : placeOf(store.columns.value, id);
  };

  function go(direction: Direction) {
    if (carried.value) return carry(direction);
    const next = neighbour(shown, here(), direction);
    if (next) store.wanted.value = next.id;
  }

  function step(direction: Direction) {
    const id = here();
    const target = id === undefined ? undefined : stepTarget(shown, id, direction);
    if (id === undefined || !target || carried.value) return;
    store.wanted.value = id;
    void moveCard(store, id, target);
  }

  function pickUp() {
    const place = card();
    if (carried.value) return putDown();
    if (!place) return;
    carried.value = place;
    supersede(place.card.id);
    store.freeze();
    speak(`Picked up ${titleOf(place)}, ${spokenPlace(store, place.card.id)}.`);
  }

  function carry(direction: Direction) {
    const id = carried.value?.card.id ?? "";
    const target = stepTarget(shown, id, direction);
    const intent = target && moved(store.columns.value, id, target);
    if (!intent) return;
    store.wanted.value = id;
    store.shift(intent.columns, id, true);
    const to = placeOf(store.columns.value, id);
    if (to) speak(`${to.column.name}, position ${to.index + 1} of ${to.column.count}.`);
  }

  function putDown() {
    const from = carried.value;
    if (!from) return;
    carried.value = undefined;
    store.thaw();
    const to = placeOf(store.columns.value, from.card.id);
    speak("Dropped.");
    if (to && (to.columnId !== from.columnId || to.index !== from.index)) void sendMove(store, from);
    else store.shift(store.columns.value, from.card.id, false);
  }

  function putBack() {
    const from = carried.value;
    if (!from) return;
    carried.value = undefined;
    const back = moved(store.columns.value, from.card.id, from);
    store.wanted.value = from.card.id;
    store.shift(back?.columns ?? store.columns.value, from.card.id, false);
    store.thaw();
    speak(`Cancelled, back in ${from.column.name}.`);
  }

  function extend(direction: Direction) {
    const id = here();
    const next = neighbour(shown, id, direction);
    if (id === undefined || !next) return;
    store.chosen.value = new Set([...store.chosen.value, id, next.id]);
    store.wanted.value = next.id;
  }

  function choose() {
    const id = here();
    if (id === undefined) return;
    const chosen = new Set(store.chosen.value);
    if (!chosen.delete(id)) chosen.add(id);
    store.chosen.value = chosen;
    speak(`${chosen.size} selected.`);
  }

  function ask(ask: Ask) {
    const chosen = [...store.chosen.value];
    const id = here();
    const ids = chosen.length > 0 ? chosen : id === undefined ? [] : [id];
    if (ids.length > 0) onAsk(ask, ids);
  }

  async function copyOf(text: string, what: string) {
    say((await copy(text)) ? `${what} copied` : text);
  }

  const arrows = (run: (direction: Direction) => void, before = "", does?: string): Shortcut[] =>
    (["Up", "Down", "Left", "Right"] as const).map((name) => ({
      keys: `${before}Arrow${name}`,
      ...(does === undefined ? {} : { does }),
      run: () => run(name.toLowerCase() as Direction),
    }));

  const list: Shortcut[] = [
    { keys: "j", does: "Next card", run: () => go("down") },
    { keys: "k", does: "Previous card", run: () => go("up") },
    { keys: "h", does: "Column to the left", run: () => go("left") },
    { keys: "l", does: "Column to the right", run: () => go("right") },
    ...arrows(go),
    ...arrows(step, "Alt+", "Move the card a step"),
    { keys: " ", does: "Pick the card up, put it down", run: pickUp },
    { keys: "m", does: "Move to…", run: () => ask("move") },
    { keys: "a", does: "Assign", run: () => ask("assign") },
    { keys: "p", does: "Priority", run: () => ask("priority") },
    { keys: "d", does: "Dates", run: () => ask("dates") },
    { keys: "c", does: "New card", run: () => onCompose(card()?.columnId ?? shown[0]?.id ?? "") },
    { keys: "n", run: () => onCompose(card()?.columnId ?? shown[0]?.id ?? "") },
    { keys: "f", does: "Filter", run: onFilter },
    { keys: "/", run: onFilter },
    { keys: "F", does: "Clear the filter", run: onClear },
    { keys: "x", does: "Select", run: choose },
    { keys: "J", does: "Select also the next", run: () => extend("down") },
    { keys: "K", does: "Select also the previous", run: () => extend("up") },
    {
      keys: "y",
      does: "Copy link",
      run: () => void (card() && copyOf(`${location.origin}/cards/${here()}`, "Link")),
    },
    { keys: "Y", does: "Copy id", run: () => void (card() && copyOf(here() ?? "", "Id")) },
  ];
  useShortcuts(active ? list : []);
  // Escape is bound only while there is a selection to clear or a carried card to put back; otherwise the topmost layer
  // has it.
  useShortcuts(
    active && (carried.value || store.chosen.value.size > 0)
      ? [
          {
            keys: "Escape",
            run: () => {
              if (carried.value) putBack();
              else store.chosen.value = new Set();
            },
          },
        ]
      : [],
  );
  useShortcuts(active && carried.value ? [{ keys: "Enter", run: putDown }] : []);
}
