import { isPlain, longerThan } from "../../openapi/check.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { plainFields, type StoredFieldName, type TicketFields } from "../../openapi/schema/ticket-fields.ts";
import { activityStep } from "../activity/activity.ts";
import { type CardRow, liveCardStep } from "../activity/card.ts";
import { columnOf, columnValue, fieldValue } from "../activity/ticket-row.ts";
import { cancelRunStep } from "../agents/cancel-run.ts";
import { queueRunStep } from "../agents/queue-run.ts";
import { chooseRepositoryStep } from "../agents/requeue.ts";
import { requireStarterStep } from "../agents/run-starters.ts";
import { type Context, Refusal, requireMember } from "../core/context.ts";
import type { Step, Tx, Value } from "../core/store.ts";
import type { CardChange } from "./card-body.ts";
import { indexCardStep } from "./card-index.ts";
import { assigneeStep, repositoryStep, requireDateRange } from "./insert.ts";

interface Update {
  id: string;
  /** The fields to change, already checked; absent members stay as they are. */
  change: CardChange;
  /** The version of the text that was edited. Without it the text is replaced in any case. */
  version?: number | undefined;
}

/**
 * Edits a card. A text that somebody else has saved meanwhile is never overwritten; for every other field the last
 * write holds. Assigning the agent queues a run, and unassigning it cancels the run. A replay of the key that created
 * the card still gives the first answer.
 */
export async function updateCard({ ctx, input }: { ctx: Context; input: Update }): Promise<{ id: string }> {
  requireMember(ctx);
  const [runId, now] = [ctx.newId(), ctx.now()];
  const { boardId, runs } = await ctx.store.write(function* (tx) {
    const card = yield* liveCardStep(tx, input.id);
    requireVersion(card, input);
    const { startsAt = card.starts_at, dueAt = card.due_at } = input.change;
    requireDateRange(startsAt, dueAt);
    for (const step of [textStep, plainStep, repositoryChangeStep]) yield* step(tx, ctx, card, input.change, now);
    const runs = yield* assignStep(tx, ctx, card, input.change, { id: runId, now });
    return { boardId: card.board_id, runs };
  });
  ctx.changed?.({ kind: "card", id: input.id, in: boardId });
  for (const id of runs) ctx.changed?.({ kind: "run", id, in: boardId });
  return { id: input.id };
}

/** The same rule as for `title` in the API. */
export function requireTitle(title: string): string {
  if (title === "" || longerThan(title, limits.titleMax) || !isPlain(title)) {
    throw new Refusal("invalid_input", `a title has 1 to ${limits.titleMax} characters, none of them U+0000`);
  }
  return title;
}

function requireVersion({ title, description, version }: CardRow, input: Update) {
  const { change } = input;
  if (input.version === undefined || (change.title === undefined && change.description === undefined)) return;
  if (input.version === version) return;
  // The call was repeated, or both people typed the same: no text is lost.
  if ((change.title ?? title) === title && textOf(change.description, description) === description) return;
  const theirs = { title, description, version };
  throw new Refusal("conflict", "Somebody else has changed the text meanwhile.", { theirs });
}

/** An empty description is stored as null; an absent one stays as it is. */
function textOf(given: string | null | undefined, present: string | null): string | null {
  return given === undefined ? present : given || null;
}

function* textStep(tx: Tx, ctx: Context, card: CardRow, change: CardChange, now: number): Step<void> {
  const title = change.title ?? card.title;
  const description = textOf(change.description, card.description);
  if (title === card.title && description === card.description) return;
  yield* tx.run(
    "update ticket set title = $2, description = $3, version = version + 1, updated_at = $4 where id = $1",
    [card.id, title, description, now],
  );
  if (title !== card.title) {
    yield* indexCardStep(tx, card.id, title);
    yield* editedStep(tx, ctx, card, { field: "title", from: card.title, to: title }, now);
  }
  if (description !== card.description) yield* editedStep(tx, ctx, card, { field: "description" }, now);
}

function* plainStep(tx: Tx, ctx: Context, card: CardRow, change: CardChange, now: number): Step<void> {
  for (const field of plainFields) {
    const [column, given] = [columnOf(field), change[field]];
    if (given === undefined) continue;
    const [from, to] = [card[column], columnValue(field, given)];
    if (to === from) continue;
    yield* setStep(tx, card, column, to, now);
    yield* editedStep(tx, ctx, card, { field, from: fieldValue(field, from), to: given }, now);
  }
}

function* repositoryChangeStep(tx: Tx, ctx: Context, card: CardRow, change: CardChange, now: number): Step<void> {
  const given = change.agentRepositoryId;
  if (given === undefined || (given?.toLowerCase() ?? null) === card.repository_id) return;
  const to = given === null ? null : yield* repositoryStep(tx, card.project_id, given);
  const from = card.repository_id === null ? undefined : yield* urlStep(tx, card.repository_id);
  yield* setStep(tx, card, "repository_id", to?.id ?? null, now);
  yield* chooseRepositoryStep(tx, card.id, to?.id ?? null, { now, newId: ctx.newId });
  yield* editedStep(tx, ctx, card, { field: "repository", from: from ?? null, to: to?.url ?? null }, now);
}

function* urlStep(tx: Tx, id: string): Step<string | undefined> {
  return (yield* tx.one<{ url: string }>("select url from repository where id = $1", [id]))?.url;
}

/** The runs that the change has queued or cancelled. */
function* assignStep(
  tx: Tx,
  ctx: Context,
  card: CardRow,
  change: CardChange,
  run: { id: string; now: number },
): Step<string[]> {
  const given = change.assigneeUserId;
  if (given === undefined) return [];
  const from = card.assignee_id === null ? undefined : yield* nameStep(tx, card.assignee_id);
  const to = given === null ? undefined : yield* assigneeStep(tx, given);
  if (to?.isAgent || from?.role === "agent") yield* requireStarterStep(tx, ctx);
  const { now } = run;
  if (to?.id !== from?.id) {
    yield* setStep(tx, card, "assignee_id", to?.id ?? null, now);
    const detail = {
      from: from ? { id: from.id, name: from.name } : null,
      to: to ? { id: to.id, name: to.name } : null,
    };
    yield* activityStep(tx, card.id, { at: now, actor: ctx.actor, kind: "assigned", detail });
  }
  if (!to?.isAgent) {
    return from?.role === "agent"
      ? yield* cancelRunStep(tx, { ticketId: card.id, actor: ctx.actor }, { now, newId: ctx.newId })
      : [];
  }
  const repositoryId =
    change.agentRepositoryId === undefined ? card.repository_id : (change.agentRepositoryId?.toLowerCase() ?? null);
  const ticket = { id: card.id, projectId: card.project_id, agentId: to.id, repositoryId };
  const queued = yield* queueRunStep(tx, run, ticket);
  if (!queued) return [];
  const detail = { runId: run.id, ...queued };
  yield* activityStep(tx, card.id, { at: now, actor: ctx.actor, kind: "run_queued", detail });
  return [run.id];
}

function nameStep(tx: Tx, id: string): Step<{ id: string; name: string; role: string } | undefined> {
  return tx.one<{ id: string; name: string; role: string }>("select id, name, role from member where id = $1", [id]);
}

function setStep(
  tx: Tx,
  card: CardRow,
  column: TicketFields[StoredFieldName]["column"],
  value: Value,
  now: number,
): Step<void> {
  return tx.run(`update ticket set ${column} = $2, updated_at = $3 where id = $1`, [card.id, value, now]);
}

function editedStep(tx: Tx, { actor }: Context, card: CardRow, detail: object, at: number): Step<void> {
  return activityStep(tx, card.id, { at, actor, kind: "edited", detail });
}
