import { effect } from "@preact/signals";
import { api, CallFailed, done } from "../../core/api.ts";
import { live } from "../../core/live.ts";
import { failureOf } from "../../core/load.ts";
import { newOp } from "../../core/op.ts";
import { say, speak } from "../../core/say.ts";
import { agoInWords } from "../../core/time.ts";
import { moved, placeOf, type Target, withCard } from "./order.ts";
import type { BoardStore } from "./store.ts";

interface Sent {
  id: string;
  columnId: string;
  after: string | null;
  before: string | null;
  op: string;
  seenMoves: number;
}

/**
 * Shows the card at its new place at once and tells the server. A move that fails is taken back, and a toast gives the
 * reason.
 */
export async function moveCard(store: BoardStore, id: string, target: Target, { quiet = false } = {}): Promise<void> {
  const from = placeOf(store.columns.value, id);
  const intent = moved(store.columns.value, id, target);
  if (!from || !intent) return;
  store.shift(intent.columns, id, true);
  const to = placeOf(store.columns.value, id);
  if (to && !quiet) speak(`${to.column.name}, position ${to.index + 1} of ${to.column.count}.`);
  await send(store, from, {
    id,
    columnId: target.columnId,
    after: intent.after,
    before: intent.before,
    op: newOp(),
    seenMoves: from.card.moves,
  });
}

/** To be called when a card is picked up again: the answer to its last move no longer decides where it stands here. */
export function supersede(id: string) {
  newest.delete(id);
}

/** Sends a move that was shown already: the card was picked up with the keyboard and put down. */
export async function sendMove(store: BoardStore, from: Place): Promise<void> {
  const to = placeOf(store.columns.value, from.card.id);
  if (!to) return;
  await send(store, from, {
    id: from.card.id,
    columnId: to.columnId,
    after: to.column.cards[to.index - 1]?.id ?? null,
    before: to.column.cards[to.index + 1]?.id ?? null,
    op: newOp(),
    seenMoves: from.card.moves,
  });
}

type Place = NonNullable<ReturnType<typeof placeOf>>;

/** The newest move of each card. Answers to earlier moves no longer place the card. */
const newest = new Map<string, string>();

async function send(store: BoardStore, from: Place, { id, op, ...rest }: Sent): Promise<void> {
  newest.set(id, op);
  try {
    const answer = await untilAnswered(() => done(api.cards({ id }).move.post({ op, ...rest })));
    if (newest.get(id) !== op) return;
    newest.delete(id);
    const { columnId, boardId, position, moves } = answer;
    const now = placeOf(store.columns.value, id);
    const columns = store.columns.value;
    store.shift(now ? withCard(columns, { ...now.card, columnId, boardId, position, moves }) : columns, id, false);
    await store.count().catch(() => {});
    tell(store, from, answer);
  } catch (error) {
    if (newest.get(id) !== op) return;
    newest.delete(id);
    const failed = failureOf(error);
    const now = placeOf(store.columns.value, id);
    store.shift(withCard(store.columns.value, { ...from.card, moves: now?.card.moves ?? from.card.moves }), id, false);
    say(`${titleOf(from)} is back in ${from.column.name}: ${failed.message}`, { bad: true, about: id });
    speak(`Not moved. Back in ${from.column.name}.`);
    void store.load();
  }
}

/** Sends a move again when the connection is back. Its `op` makes that harmless when the first call arrived. */
async function untilAnswered<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const waits = error instanceof CallFailed && (error.status === 0 || error.status === 503);
      if (!waits) throw error;
      await connected();
    }
  }
}

const againMilliseconds = 1_000;

function connected(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(() => {
      const stop = effect(() => {
        if (live.value.state === "live") {
          // The effect runs for the first time before `stop` is assigned.
          queueMicrotask(() => stop());
          resolve();
        }
      });
    }, againMilliseconds);
  });
}

interface Answer {
  id: string;
  overtook: { by: { name: string }; column: { name: string }; at: string } | null;
}

function tell(store: BoardStore, from: Place, { id, overtook }: Answer) {
  const to = placeOf(store.columns.value, id);
  const undo = () => void moveCard(store, id, { columnId: from.columnId, index: from.index });
  if (overtook) {
    const { by, column, at } = overtook;
    say(`${by.name} had moved this to ${column.name} ${agoInWords(at, Date.now())}. Yours is the later one.`, {
      undo,
      about: id,
    });
  } else if (to) {
    say(`Moved to ${to.column.name}, position ${to.index + 1} of ${to.column.count}`, { undo, about: id });
  }
}

export function titleOf({ card }: { card: { title: string } }): string {
  return card.title.trim() === "" ? "(untitled)" : `“${card.title}”`;
}
