import type { CreateTicket, Ticket } from "../../openapi/schema/ticket.ts";
import { hasScope } from "../access/authenticate.ts";
import type { Context } from "../access/context.ts";
import { Refusal } from "../access/context.ts";
import { queueRunStep } from "../agents/queue-run.ts";
import { publicUrlStep } from "../ops/settings.ts";
import type { Row, Step, Tx } from "../store/store.ts";
import { activityStep } from "./activity.ts";
import { bindingOf, bindKeyStep, type Replay, replayStep } from "./replay.ts";
import { resolveBoardStep, resolveColumnStep, resolveProjectStep } from "./resolve.ts";

interface CreateTicketInput {
  tokenId: string;
  /** A checked body. */
  ticket: CreateTicket;
  /** The `Idempotency-Key` and the SHA-256 of the raw body that came with it. */
  key?: { value: string; bodyDigest: string } | undefined;
}

/** `answer` is the body of the 201, byte for byte what a replay gives again for ever. */
export type CreatedTicket =
  | { replay?: undefined; ticketId: string; answer: string; url: string }
  /** The key is bound: nothing was created, the first answer stands. */
  | { replay: Replay };

/**
 * Rows 7 to 13 of the order of answers, as one transaction: the token and the key are read again in it, so that a
 * revoke or a twin that came first is seen. Everything is stored or nothing is.
 */
export async function createTicket({ ctx, input }: { ctx: Context; input: CreateTicketInput }): Promise<CreatedTicket> {
  const { ticket } = input;
  const [id, runId, now] = [ctx.newId(), ctx.newId(), ctx.now()];
  const binding = input.key && bindingOf(input.tokenId, input.key.value);

  return ctx.store.write<CreatedTicket>(function* (tx) {
    const token = yield* tokenStep(tx, input.tokenId);
    if (binding) {
      const replay = yield* replayStep(tx, binding);
      if (replay) return { replay };
    }
    if (ticket.startsAt && ticket.dueAt && ticket.startsAt > ticket.dueAt) throw new Refusal("invalid_date_range");
    const projectId = yield* resolveProjectStep(tx, token, ticket.projectId?.toLowerCase());
    const boardId = yield* resolveBoardStep(tx, projectId, ticket.boardId?.toLowerCase());
    const columnId = yield* resolveColumnStep(tx, boardId, ticket.columnId?.toLowerCase());
    const assignee = ticket.assigneeUserId ? yield* memberStep(tx, ticket.assigneeUserId.toLowerCase()) : undefined;
    const repositoryId = ticket.agentRepositoryId
      ? yield* repositoryStep(tx, projectId, ticket.agentRepositoryId.toLowerCase())
      : null;

    yield* tx.run(
      `insert into ticket (id, column_id, position, title, description, priority, assignee_id, repository_id,
         starts_at, due_at, token_id, author_name, created_at)
       values ($1, $2, (select coalesce(min(position), 0) - 1 from ticket where column_id in ($2)),
         $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [
        id,
        columnId,
        ticket.title,
        ticket.description ?? null,
        ticket.priority ?? "none",
        assignee?.id ?? null,
        repositoryId,
        ticket.startsAt ?? null,
        ticket.dueAt ?? null,
        token.id,
        token.name,
        now,
      ],
    );
    const actor = { kind: "token", id: token.id, name: token.name } as const;
    yield* activityStep(tx, id, { at: now, actor, kind: "created" });
    if (assignee?.role === "agent") {
      const run = yield* queueRunStep(tx, { id: runId, now }, { id, projectId, agentId: assignee.id, repositoryId });
      if (run) yield* activityStep(tx, id, { at: now, actor, kind: "run_queued", detail: { runId, ...run } });
    }

    const url = `${yield* publicUrlStep(tx, ctx.publicUrl)}/cards/${id}`;
    const answer = JSON.stringify({
      id,
      title: ticket.title,
      projectId,
      boardId,
      columnId,
      createdAt: new Date(now).toISOString(),
      url,
    } satisfies Ticket);
    if (input.key && binding) yield* bindKeyStep(tx, binding, input.tokenId, input.key, { ticketId: id, answer });
    return { ticketId: id, answer, url };
  });
}

export interface TokenRow extends Row {
  id: string;
  name: string;
  scopes: string;
  reaches_all: number;
}

/** The token as it is now, not as it was when the request came in. */
function* tokenStep(tx: Tx, id: string): Step<TokenRow> {
  const token = yield* tx.one<TokenRow>(
    "select id, name, scopes, reaches_all from api_token where id = $1 and revoked_at is null",
    [id],
  );
  if (!token) throw new Refusal("invalid_api_token");
  if (!hasScope(token.scopes, "tickets:write")) throw new Refusal("insufficient_scope");
  return token;
}

function* memberStep(tx: Tx, id: string): Step<{ id: string; role: string }> {
  const member = yield* tx.one<{ id: string; role: string }>(
    "select id, role from member where id = $1 and removed_at is null",
    [id],
  );
  if (!member) throw new Refusal("not_a_member");
  return member;
}

function* repositoryStep(tx: Tx, projectId: string, id: string): Step<string> {
  const repository = yield* tx.one<{ id: string }>(
    "select id from repository where id = $1 and project_id = $2 and unbound_at is null",
    [id, projectId],
  );
  if (!repository) throw new Refusal("invalid_agent_repository");
  return repository.id;
}
