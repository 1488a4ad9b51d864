import { type ActorView, activityStep, actorView } from "../activity/activity.ts";
import { type CardRow, cardStep, liveCardStep } from "../activity/card.ts";
import { type Context, Refusal, requireMember } from "../core/context.ts";
import type { Row, Step, Tx } from "../core/store.ts";
import { type After, positionStep } from "./card-position.ts";
import { findCompletedStep, rememberCompletedStep } from "./idempotent-op.ts";

interface Move {
  id: string;
  columnId: string;
  after: After;
  /** The card that was below the wanted place, for when `after` no longer exists. */
  before?: string | null | undefined;
  /** Names the call: a move that is sent again with the same `op` changes nothing. */
  op?: string | undefined;
  /** How often the card had moved when the person last saw it. */
  seenMoves?: number | undefined;
}

interface MovedCard {
  id: string;
  columnId: string;
  boardId: string;
  position: number;
  moves: number;
  version: number;
  /** Where another person had moved the card since it was last seen. */
  overtook: { by: ActorView; column: { id: string; name: string }; at: string } | null;
}

/**
 * Moves a card to a place in a column of the same project, on any of its boards. The last of several moves holds, and
 * its answer names the person whose move it replaced.
 */
export async function moveCard({ ctx, input }: { ctx: Context; input: Move }): Promise<MovedCard> {
  requireMember(ctx);
  const now = ctx.now();
  if (input.after === input.id) throw new Refusal("invalid_input", "a card cannot stand under itself");
  const { moved, from, spread } = await ctx.store.write(function* (tx) {
    const done = input.op === undefined ? undefined : yield* findCompletedStep(tx, ctx, input.op);
    if (done) {
      if (done.ticketId !== input.id) throw new Refusal("conflict", "this op was used for another card");
      const card = yield* cardStep(tx, input.id);
      return { moved: present(card, null), from: undefined, spread: false };
    }
    const card = yield* liveCardStep(tx, input.id);
    const { moved, spread } = yield* moveStep(tx, ctx, card, input, now);
    if (input.op !== undefined) yield* rememberCompletedStep(tx, ctx, { op: input.op, ticketId: card.id, now });
    return { moved, from: card.board_id, spread };
  });
  if (from !== undefined) {
    ctx.changed?.({ kind: "card", id: moved.id, in: moved.boardId });
    if (spread) ctx.changed?.({ kind: "board", id: moved.boardId });
    if (from !== moved.boardId) ctx.changed?.({ kind: "card", id: moved.id, in: from });
  }
  return moved;
}

function* moveStep(
  tx: Tx,
  ctx: Context,
  card: CardRow,
  input: Move,
  now: number,
): Step<{ moved: MovedCard; spread: boolean }> {
  const target = yield* targetStep(tx, card, input.columnId);
  const { after, before } = input;
  const { position, spread } = yield* positionStep(tx, target.id, { after, before, moving: card.id });
  yield* tx.run(
    `update ticket set column_id = $2, position = $3, moves = moves + 1, moved_at = $4, moved_by = $5, updated_at = $4
     where id = $1`,
    [card.id, target.id, position, now, JSON.stringify(actorView(ctx.actor))],
  );
  if (target.id !== card.column_id) {
    const between = target.board_id !== card.board_id;
    const from = { id: card.column_id, name: card.column_name, ...(between ? { board: card.board_name } : {}) };
    const to = { id: target.id, name: target.name, ...(between ? { board: target.board_name } : {}) };
    yield* activityStep(tx, card.id, { at: now, actor: ctx.actor, kind: "moved", detail: { from, to } });
  }
  const place = { column_id: target.id, board_id: target.board_id, position, moves: card.moves + 1 };
  return { moved: present({ ...card, ...place }, overtaken(ctx, card, input.seenMoves)), spread };
}

interface TargetRow extends Row {
  id: string;
  name: string;
  board_id: string;
  board_name: string;
  project_id: string;
}

function* targetStep(tx: Tx, card: CardRow, columnId: string): Step<TargetRow> {
  const target = yield* tx.one<TargetRow>(
    `select c.id, c.name, c.board_id, b.name as board_name, b.project_id
     from board_column c join board b on b.id = c.board_id where c.id = $1 and b.deleted_at is null`,
    [columnId],
  );
  if (!target) throw new Refusal("column_not_found", `there is no column ${columnId}`);
  if (target.project_id !== card.project_id) {
    throw new Refusal("conflict", "this column belongs to another project; a ticket stays in its own");
  }
  return target;
}

function overtaken({ actor }: Context, card: CardRow, seenMoves: number | undefined): MovedCard["overtook"] {
  if (seenMoves === undefined || card.moves <= seenMoves || card.moved_by === null) return null;
  const by = JSON.parse(card.moved_by) as ActorView;
  if (actor.kind !== "operator" && by.id === actor.id) return null;
  const column = { id: card.column_id, name: card.column_name };
  return { by, column, at: new Date(card.moved_at ?? 0).toISOString() };
}

function present(card: CardRow, overtook: MovedCard["overtook"]): MovedCard {
  const { id, position, moves, version } = card;
  return { id, columnId: card.column_id, boardId: card.board_id, position, moves, version, overtook };
}
