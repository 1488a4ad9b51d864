import { activityStep } from "../activity/activity.ts";
import { queueRunStep } from "../agents/queue-run.ts";
import { requireStarterStep } from "../agents/run-starters.ts";
import { type Context, Refusal, requireMember } from "../core/context.ts";
import type { Row, Step, Tx } from "../core/store.ts";
import { type After, positionStep } from "./card-position.ts";
import type { CardSummary } from "./card-summary.ts";
import { findCompletedStep, rememberCompletedStep } from "./idempotent-op.ts";
import { assigneeStep, insertTicketStep, repositoryStep, requireDateRange, type TicketFields } from "./insert.ts";
import { summaryOf } from "./list-cards.ts";
import { linkCardStep } from "./report-cards.ts";

interface CreateCard {
  /** Names the call: when it is sent again with the same `op`, no second card is made. */
  op: string;
  columnId: string;
  after: After;
  /** The fields of the card, already checked. */
  fields: TicketFields;
  /** What the card was made from, such as a report. */
  source?: { kind: "report"; ids: readonly string[] } | undefined;
}

/** Creates a card for a person, with the same fields, limits and refusals as in the API. */
export async function createCard({ ctx, input }: { ctx: Context; input: CreateCard }): Promise<CardSummary> {
  requireMember(ctx);
  const { fields } = input;
  const [id, runId, now] = [ctx.newId(), ctx.newId(), ctx.now()];
  const made = await ctx.store.write(function* (tx) {
    const done = yield* findCompletedStep(tx, ctx, input.op);
    if (done) return { id: done.ticketId };
    requireDateRange(fields.startsAt, fields.dueAt);
    const column = yield* columnStep(tx, input.columnId);
    const assignee = fields.assigneeUserId ? yield* assigneeStep(tx, fields.assigneeUserId) : undefined;
    if (assignee?.isAgent) yield* requireStarterStep(tx, ctx);
    const repository = fields.agentRepositoryId
      ? yield* repositoryStep(tx, column.project_id, fields.agentRepositoryId)
      : undefined;
    const { position, spread } = yield* positionStep(tx, column.id, { after: input.after });
    const { actor } = ctx;
    yield* insertTicketStep(tx, {
      id,
      columnId: column.id,
      position,
      fields,
      assigneeUserId: assignee?.id ?? null,
      agentRepositoryId: repository?.id ?? null,
      author: { tokenId: null, memberId: actor.kind === "member" ? actor.id : null, name: actor.name },
      idempotencyKey: null,
      now,
    });
    const detail = input.source && { source: input.source };
    yield* activityStep(tx, id, { at: now, actor, kind: "created", detail });
    if (input.source) yield* linkCardStep(tx, id, input.source.ids);
    let queued = false;
    if (assignee?.isAgent) {
      const ticket = { id, projectId: column.project_id, agentId: assignee.id, repositoryId: repository?.id ?? null };
      const run = yield* queueRunStep(tx, { id: runId, now }, ticket);
      if (run) yield* activityStep(tx, id, { at: now, actor, kind: "run_queued", detail: { runId, ...run } });
      queued = run !== undefined;
    }
    yield* rememberCompletedStep(tx, ctx, { op: input.op, ticketId: id, now });
    return { id, boardId: column.board_id, spread, queued };
  });
  if (made.boardId !== undefined) {
    ctx.changed?.({ kind: "card", id, in: made.boardId });
    if (made.queued) ctx.changed?.({ kind: "run", id: runId, in: made.boardId });
    if (made.spread) ctx.changed?.({ kind: "board", id: made.boardId });
  }
  return summaryOf(ctx, made.id);
}

interface ColumnRow extends Row {
  id: string;
  board_id: string;
  project_id: string;
}

/** Archived projects, boards and columns take no new card, as in the API. */
function* columnStep(tx: Tx, id: string): Step<ColumnRow> {
  const column = yield* tx.one<ColumnRow>(
    `select c.id, c.board_id, b.project_id from board_column c
       join board b on b.id = c.board_id join project p on p.id = b.project_id
     where c.id = $1 and b.archived_at is null and p.archived_at is null`,
    [id],
  );
  if (!column) throw new Refusal("column_not_found", `there is no column ${id}`);
  return column;
}
