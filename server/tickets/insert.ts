import type { CreateTicket } from "../../openapi/schema/ticket.ts";
import { Refusal } from "../core/context.ts";
import type { Step, Tx } from "../core/store.ts";

/** What a token and a person may say of a new ticket alike. */
export type TicketFields = Omit<CreateTicket, "projectId" | "boardId" | "columnId">;

interface NewTicket {
  id: string;
  columnId: string;
  /** Undefined: the top of the column. */
  position?: number;
  fields: TicketFields;
  assigneeId: string | null;
  repositoryId: string | null;
  author: { tokenId: string | null; memberId: string | null; name: string };
  idempotencyKey: string | null;
  now: number;
}

export function* insertTicketStep(tx: Tx, ticket: NewTicket): Step<void> {
  const { fields } = ticket;
  yield* tx.run(
    `insert into ticket (id, column_id, position, title, description, priority, assignee_id, repository_id,
       starts_at, due_at, token_id, author_id, author_name, idempotency_key, created_at)
     values ($1, $2,
       coalesce($3, (select coalesce(min(position), 0) - 1 from ticket where column_id in ($2) and live = 1)),
       $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    [
      ticket.id,
      ticket.columnId,
      ticket.position ?? null,
      fields.title,
      fields.description ?? null,
      fields.priority ?? "none",
      ticket.assigneeId,
      ticket.repositoryId,
      fields.startsAt ?? null,
      fields.dueAt ?? null,
      ticket.author.tokenId,
      ticket.author.memberId,
      ticket.author.name,
      ticket.idempotencyKey,
      ticket.now,
    ],
  );
}

/** Days are text of one form, so their order is that of the texts. */
export function requireDateRange(startsAt: string | null | undefined, dueAt: string | null | undefined) {
  if (startsAt && dueAt && startsAt > dueAt) throw new Refusal("invalid_date_range");
}

export interface Assignee {
  id: string;
  name: string;
  isAgent: boolean;
}

/** A member of the organisation, or its agent. */
export function* assigneeStep(tx: Tx, id: string): Step<Assignee> {
  const member = yield* tx.one<{ id: string; name: string; role: string }>(
    "select id, name, role from member where id = $1 and removed_at is null",
    [id.toLowerCase()],
  );
  if (!member) throw new Refusal("not_a_member");
  return { id: member.id, name: member.name, isAgent: member.role === "agent" };
}

/** A repository that is bound to the project. */
export function* repositoryStep(tx: Tx, projectId: string, id: string): Step<{ id: string; url: string }> {
  const repository = yield* tx.one<{ id: string; url: string }>(
    "select id, url from repository where id = $1 and project_id = $2 and unbound_at is null",
    [id.toLowerCase(), projectId],
  );
  if (!repository) throw new Refusal("invalid_agent_repository");
  return repository;
}
