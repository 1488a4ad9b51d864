import type { CreateTicket } from "../../openapi/schema/ticket.ts";
import { answeredFields, type PlaceFieldName } from "../../openapi/schema/ticket-fields.ts";
import { activityStep } from "../activity/activity.ts";
import { queueRunStep } from "../agents/queue-run.ts";
import type { Context } from "../core/context.ts";
import { Refusal } from "../core/context.ts";
import { publicUrlStep } from "../core/settings.ts";
import type { Row, Step, Tx } from "../core/store.ts";
import { requireScope } from "../credentials/authenticate.ts";
import { assigneeStep, insertTicketStep, repositoryStep, requireDateRange } from "./insert.ts";
import { bindingOf, bindKeyStep, type Replay, replayStep } from "./replay.ts";
import { resolveBoardStep, resolveColumnStep, resolveProjectStep } from "./resolve.ts";

interface CreateTicketInput {
  tokenId: string;
  /** A checked body. */
  ticket: CreateTicket;
  /** The `Idempotency-Key`, the SHA-256 of the raw body that came with it, and the fingerprints of its fields. */
  key?: { value: string; bodyDigest: string; fields: string } | undefined;
}

/** `answer` is the body of the 201, which every replay repeats byte for byte. */
type CreatedTicket =
  | {
      replay?: undefined;
      ticketId: string;
      projectId: string;
      boardId: string;
      /** The agent's run, when the agent is the assignee. */
      runId: string | undefined;
      answer: string;
      url: string;
    }
  /** The key is bound: nothing was created, the first answer stands. */
  | { replay: Replay };

/**
 * Rows 7 to 13 of the order of answers, as one transaction. It reads the token and the key again, so that it notices a
 * token that was revoked meanwhile, or a request with the same key that was first. Everything is stored or nothing is.
 */
export async function createTicket({ ctx, input }: { ctx: Context; input: CreateTicketInput }): Promise<CreatedTicket> {
  const { ticket } = input;
  const [id, runId, now] = [ctx.newId(), ctx.newId(), ctx.now()];
  const binding = input.key && bindingOf(input.tokenId, input.key.value);

  let latest: CreatedTicket | undefined;
  const create = function* (tx: Tx): Step<CreatedTicket> {
    const token = yield* tx.shared(`token ${input.tokenId}`, (read) => tokenStep(read, input.tokenId));
    requireScope(token, "tickets:write");
    if (binding) {
      const replay = yield* replayStep(tx, binding);
      if (replay) return { replay };
    }
    requireDateRange(ticket.startsAt, ticket.dueAt);
    const { projectId, boardId, columnId } = yield* placeStep(tx, token, ticket);
    const assignee = ticket.assigneeUserId ? yield* assigneeStep(tx, ticket.assigneeUserId) : undefined;
    const repository = ticket.agentRepositoryId
      ? yield* repositoryStep(tx, projectId, ticket.agentRepositoryId)
      : undefined;
    const agentRepositoryId = repository?.id ?? null;
    // Read before anything is stored, so that the rows of many tickets are stored at once.
    const publicUrl = yield* tx.shared("public url", (read) => publicUrlStep(read, ctx.publicUrl));

    yield* insertTicketStep(tx, {
      id,
      columnId,
      fields: ticket,
      assigneeUserId: assignee?.id ?? null,
      agentRepositoryId,
      author: { tokenId: token.id, memberId: null, name: token.name },
      idempotencyKey: input.key?.value ?? null,
      now,
    });
    const actor = { kind: "token", id: token.id, name: token.name } as const;
    yield* activityStep(tx, id, { at: now, actor, kind: "created" });
    let queued = false;
    if (assignee?.isAgent) {
      const run = yield* queueRunStep(
        tx,
        { id: runId, now },
        { id, projectId, agentId: assignee.id, repositoryId: agentRepositoryId },
      );
      if (run) yield* activityStep(tx, id, { at: now, actor, kind: "run_queued", detail: { runId, ...run } });
      queued = run !== undefined;
    }

    const url = `${publicUrl}/cards/${id}`;
    const answer = answerOf(id, ticket, { projectId, boardId, columnId }, new Date(now).toISOString(), url);
    if (input.key && binding) yield* bindKeyStep(tx, binding, input.tokenId, input.key, { ticketId: id, answer });
    latest = { ticketId: id, projectId, boardId, runId: queued ? runId : undefined, answer, url };
    return latest;
  };
  const made = await ctx.store.write(create, {
    // A run of the agent rests on credits and on other runs.
    isolation: ticket.assigneeUserId === undefined ? "group" : "alone",
    keys: binding ? [binding] : [],
    *stored(tx) {
      return (yield* tx.one("select id from ticket where id = $1", [id])) && latest;
    },
  });
  if (made.replay) return made;
  ctx.changed?.({ kind: "card", id: made.ticketId, in: made.boardId });
  if (made.runId !== undefined) ctx.changed?.({ kind: "run", id: made.runId, in: made.boardId });
  return made;
}

/** The body of the 201: the fields as given, and the place of the ticket. */
function answerOf(id: string, ticket: CreateTicket, place: Place, createdAt: string, url: string): string {
  const answer: Record<string, unknown> = { id };
  for (const name of answeredFields) answer[name] = name in place ? place[name as PlaceFieldName] : ticket[name];
  answer["createdAt"] = createdAt;
  answer["url"] = url;
  return JSON.stringify(answer);
}

type Place = Record<PlaceFieldName, string>;

interface TokenRow extends Row {
  id: string;
  name: string;
  scopes: string;
  reaches_all: number;
}

/** The token as it is now, which may differ from the time when the request came in. */
function* tokenStep(tx: Tx, id: string): Step<TokenRow> {
  const token = yield* tx.one<TokenRow>(
    "select id, name, scopes, reaches_all from api_token where id = $1 and revoked_at is null",
    [id],
  );
  if (!token) throw new Refusal("invalid_api_token");
  return token;
}

/** Where a ticket goes that names a project, a board, a column, some of them or none. */
function placeStep(tx: Tx, token: TokenRow, named: CreateTicket): Step<Place> {
  const ids = [named.projectId, named.boardId, named.columnId].map((id) => id?.toLowerCase());
  return tx.shared(`place ${token.id} ${token.reaches_all} ${ids.join(" ")}`, function* (read) {
    const projectId = yield* resolveProjectStep(read, token, ids[0]);
    const boardId = yield* resolveBoardStep(read, projectId, ids[1]);
    const columnId = yield* resolveColumnStep(read, boardId, ids[2]);
    return { projectId, boardId, columnId };
  });
}
