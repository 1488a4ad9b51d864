import type { Row, Step, Tx } from "../core/store.ts";

/** Where a card is moved to: under the card of this id, to the top (null) or to the bottom. */
export type After = string | null | "last";

/** The position that a card gets; `spread` says that other cards of the column have new positions too. */
interface Position {
  position: number;
  spread: boolean;
}

interface Placed extends Row {
  id: string;
  position: number;
}

/** Cards whose positions are nearer than this are spread first: halving the gap again and again ends in equal positions. */
const leastGap = 1e-6;
/** How many cards the first attempt to spread looks at. */
const firstWindow = 32;

/**
 * The position under `after`, as the column is now. When that card has left the column, its former place counts. When
 * it was deleted for good, the position is the one above `before`; when both were, the top.
 */
export function* positionStep(
  tx: Tx,
  columnId: string,
  { after, before, moving }: { after: After; before?: string | null | undefined; moving?: string | undefined },
): Step<Position> {
  if (after === "last") {
    const last = yield* lastStep(tx, columnId, moving);
    return { position: last ? Math.floor(last.position) + 1 : 0, spread: false };
  }
  const above = yield* aboveStep(tx, columnId, after, before, moving);
  if (!above) {
    const first = yield* nextStep(tx, columnId, lowestPlace, moving);
    return { position: first ? Math.ceil(first.position) - 1 : 0, spread: false };
  }
  const below = yield* nextStep(tx, columnId, above, moving);
  if (!below) return { position: Math.floor(above.position) + 1, spread: false };
  const middle = (above.position + below.position) / 2;
  if (middle - above.position >= leastGap && below.position - middle >= leastGap) {
    return { position: middle, spread: false };
  }
  yield* spreadStep(tx, columnId, above, moving);
  const moved = yield* nextStep(tx, columnId, above, moving);
  return { position: moved ? (above.position + moved.position) / 2 : above.position + 1, spread: true };
}

const lowestPlace: Placed = { id: "", position: -1e308 };

function* aboveStep(
  tx: Tx,
  columnId: string,
  after: string | null,
  before: string | null | undefined,
  moving: string | undefined,
): Step<Placed | undefined> {
  if (after === null) return undefined;
  const anchor = yield* placeStep(tx, columnId, after);
  if (anchor) return anchor;
  const hint = before ? yield* placeStep(tx, columnId, before) : undefined;
  return hint && (yield* previousStep(tx, columnId, hint, moving));
}

/**
 * Archived and deleted cards keep their positions, so that the nearest card that is still there can be found from them.
 */
function placeStep(tx: Tx, columnId: string, id: string): Step<Placed | undefined> {
  return tx.one<Placed>("select id, position from ticket where id = $1 and column_id = $2", [id, columnId]);
}

function nextStep(tx: Tx, columnId: string, { position, id }: Placed, moving = ""): Step<Placed | undefined> {
  return tx.one<Placed>(
    `select id, position from ticket
     where column_id = $1 and live = 1 and (position, id) > ($2, $3) and id <> $4 order by position, id limit 1`,
    [columnId, position, id, moving],
  );
}

function previousStep(tx: Tx, columnId: string, { position, id }: Placed, moving = ""): Step<Placed | undefined> {
  return tx.one<Placed>(
    `select id, position from ticket
     where column_id = $1 and live = 1 and (position, id) < ($2, $3) and id <> $4
     order by position desc, id desc limit 1`,
    [columnId, position, id, moving],
  );
}

function lastStep(tx: Tx, columnId: string, moving = ""): Step<Placed | undefined> {
  return tx.one<Placed>(
    `select id, position from ticket where column_id = $1 and live = 1 and id <> $2
     order by position desc, id desc limit 1`,
    [columnId, moving],
  );
}

/**
 * Makes room under a card: spreads the cards below it evenly up to the next one that is far enough away. When none of
 * the cards it has looked at is, it looks at four times as many. Few rows are written, however long the column.
 */
function* spreadStep(tx: Tx, columnId: string, above: Placed, moving = ""): Step<void> {
  for (let window = firstWindow; ; window *= 4) {
    const crowded = yield* tx.all<Placed>(
      `select id, position from ticket
       where column_id = $1 and live = 1 and (position, id) > ($2, $3) and id <> $4 order by position, id limit $5`,
      [columnId, above.position, above.id, moving, window],
    );
    const end = crowded.length < window ? undefined : crowded.pop();
    const gap = end ? (end.position - above.position) / (crowded.length + 1) : 1;
    if (gap < 4 * leastGap) continue;
    for (const [i, { id }] of crowded.entries()) {
      yield* tx.run("update ticket set position = $2 where id = $1", [id, above.position + gap * (i + 1)]);
    }
    return;
  }
}
