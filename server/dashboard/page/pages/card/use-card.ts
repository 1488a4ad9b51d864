import { useRef } from "preact/hooks";
import type { ChangeEvent } from "../../../../core/change-event.ts";
import type { CardDetail } from "../../../../tickets/show-card.ts";
import { api, done } from "../../core/api.ts";
import { failureOf, type Loaded, useLoad } from "../../core/load.ts";
import { say } from "../../core/say.ts";
import { isAlive } from "../../parts/run-words.ts";
import { shownBoard } from "../board/store.ts";

export type { CardDetail } from "../../../../tickets/show-card.ts";

export interface CardCalls {
  id: string;
  loaded: Loaded<CardDetail>;
  /** Shows a card that a call returned, also on the board behind. */
  show: (card: CardDetail) => void;
  /** Changes fields for which the last write holds; a toast reports a failure. */
  change: (fields: CardFields) => Promise<void>;
  /** Runs an action, reports its failure in a toast, and loads the card again. */
  act: (work: () => Promise<unknown>) => Promise<boolean>;
}

export type CardFields = Parameters<ReturnType<typeof api.cards>["patch"]>[0];

/** Loads one card with everything that its page shows, and keeps it up to date. */
export function useCard(id: string): CardCalls {
  const shown = useRef<CardDetail | undefined>(undefined);
  const loaded = useLoad(`card ${id}`, () => done(api.cards({ id }).get()), {
    kinds: ["card", "run", "board", "repository"],
    about: (change) => concerns(change, id, shown.current),
  });
  shown.current = loaded.data;

  function show(card: CardDetail) {
    loaded.set(card);
    if (card.board.id === shownBoard.value?.id) shownBoard.value.put(card);
  }

  async function change(fields: CardFields) {
    try {
      show(await done(api.cards({ id }).patch(fields)));
    } catch (error) {
      say(failureOf(error).message, { bad: true });
    }
  }

  async function act(work: () => Promise<unknown>) {
    try {
      await work();
      loaded.reload();
      return true;
    } catch (error) {
      say(failureOf(error).message, { bad: true });
      return false;
    }
  }

  return { id, loaded, show, change, act };
}

/** Whether a change concerns this card. Runs announce every piece of their log, so runs of other cards are left out. */
function concerns({ kind, id, in: board }: ChangeEvent, card: string, shown: CardDetail | undefined): boolean {
  if (kind === "card") return id === card;
  if (kind !== "run" || !shown) return true;
  const { run } = shown;
  return run && isAlive(run.state) ? id === run.id : board === shown.board.id;
}
