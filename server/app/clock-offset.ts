import { DatabaseUnusable } from "../store/postgres/database-unusable.ts";
import { databaseNow } from "./cluster/connection.ts";
import { clockWords } from "./cluster/database-clock.ts";

/** In milliseconds. Times of several processes are compared: below the first nobody notices, above the second all is wrong. */
const [noticed, refused] = [2_000, 60_000];
const tries = 3;

type Ask = (sql: string) => Promise<readonly { at?: unknown }[]>;

/** How far this machine's clock is ahead of the database's, in milliseconds; the quickest of some answers decides. */
async function clockOffset(ask: Ask): Promise<number> {
  let [best, offset] = [Number.POSITIVE_INFINITY, 0];
  for (let i = 0; i < tries; i++) {
    const [sent, began] = [Date.now(), performance.now()];
    const [row] = await ask(`select ${databaseNow} as at`);
    const took = performance.now() - began;
    if (took >= best) continue;
    best = took;
    offset = sent + took / 2 - Number(row?.at);
  }
  return offset;
}

/** What is wrong with the clock as a sentence, and whether a server must not start with it; undefined when it is right. */
export async function clockTrouble(ask: Ask): Promise<{ text: string; refused: boolean } | undefined> {
  const offset = await clockOffset(ask);
  const far = Math.abs(offset);
  if (far < noticed) return undefined;
  return { text: clockWords(offset), refused: far > refused };
}

/** A server on such a machine would store times that others take for the future or the past. */
export async function requireClock(ask: Ask, warn: (text: string) => void): Promise<void> {
  const trouble = await clockTrouble(ask);
  if (trouble?.refused) throw new DatabaseUnusable(trouble.text);
  if (trouble) warn(trouble.text);
}
