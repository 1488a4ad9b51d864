import { plural } from "../../core/format.ts";
import { changeCards } from "./bulk-change.ts";
import type { Ask } from "./keys.ts";
import type { BoardStore } from "./store.ts";

/** The bar with the actions for all selected cards. */
export function Selection({ store, onAsk }: { store: BoardStore; onAsk: (ask: Ask, ids: string[]) => void }) {
  const ids = [...store.chosen.value];
  const archived = store.filter.state === "archived";
  return (
    <section class="keys selection" aria-label="Selected cards">
      <b>{plural(ids.length, "card")} selected</b>
      <button type="button" class="btn" onClick={() => onAsk("move", ids)}>
        Move to…
      </button>
      <button type="button" class="btn" onClick={() => onAsk("assign", ids)}>
        Assign…
      </button>
      <button type="button" class="btn" onClick={() => onAsk("priority", ids)}>
        Priority…
      </button>
      <button
        type="button"
        class="btn"
        onClick={() => void changeCards(store, ids, { kind: archived ? "unarchive" : "archive" })}
      >
        {archived ? "Put back" : "Archive"}
      </button>
      <button type="button" class="btn danger" onClick={() => void changeCards(store, ids, { kind: "delete" })}>
        Delete
      </button>
      <button
        type="button"
        class="btn ghost right"
        onClick={() => {
          store.chosen.value = new Set();
        }}
      >
        Clear selection
      </button>
    </section>
  );
}
