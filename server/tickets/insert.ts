import type { CreateTicket } from "../../openapi/schema/ticket.ts";
import {
  type PlaceFieldName,
  type ReferenceFieldName,
  referenceFields,
  type StoredFieldName,
  storedFields,
} from "../../openapi/schema/ticket-fields.ts";
import { columnOf, columnValue } from "../activity/ticket-row.ts";
import { Refusal } from "../core/context.ts";
import type { Step, Tx, Value } from "../core/store.ts";

/** The fields of a new ticket that tokens and people may give. */
export type TicketFields = Omit<CreateTicket, PlaceFieldName>;

/** The ids that the references resolved to, beside the fields as given. */
interface NewTicket extends Record<ReferenceFieldName, string | null> {
  id: string;
  columnId: string;
  /** Undefined for the top of the column. */
  position?: number;
  fields: TicketFields;
  author: { tokenId: string | null; memberId: string | null; name: string };
  idempotencyKey: string | null;
  now: number;
}

export function* insertTicketStep(tx: Tx, ticket: NewTicket): Step<void> {
  const { fields } = ticket;
  const values: Value[] = [
    ticket.id,
    ticket.columnId,
    ticket.position ?? null,
    ticket.author.tokenId,
    ticket.author.memberId,
    ticket.author.name,
    ticket.idempotencyKey,
    ticket.now,
  ];
  for (const name of referenceFields) values.push(ticket[name]);
  for (const name of givenFields) values.push(columnValue(name, fields[name]));
  yield* tx.run(insertSql, values);
}

/** Fields that are stored as they were given. */
const givenFields = storedFields.filter((name): name is Exclude<StoredFieldName, ReferenceFieldName> => {
  return !(referenceFields as readonly string[]).includes(name);
});

const fieldColumns = [...referenceFields, ...givenFields].map(columnOf);

const insertSql = `insert into ticket (id, column_id, position, token_id, author_id, author_name, idempotency_key,
    created_at, ${fieldColumns.join(", ")})
  values ($1, $2,
    coalesce($3, (select coalesce(min(position), 0) - 1 from ticket where column_id in ($2) and live = 1)),
    $4, $5, $6, $7, $8, ${fieldColumns.map((_, i) => `$${i + 9}`).join(", ")})`;

/** Days are text of one form, so they sort as text. */
export function requireDateRange(startsAt: string | null | undefined, dueAt: string | null | undefined) {
  if (startsAt && dueAt && startsAt > dueAt) throw new Refusal("invalid_date_range");
}

interface Assignee {
  id: string;
  name: string;
  isAgent: boolean;
}

/** Requires a member of the organisation or its agent. */
export function* assigneeStep(tx: Tx, id: string): Step<Assignee> {
  const member = yield* tx.one<{ id: string; name: string; role: string }>(
    "select id, name, role from member where id = $1 and removed_at is null",
    [id.toLowerCase()],
  );
  if (!member) throw new Refusal("not_a_member");
  return { id: member.id, name: member.name, isAgent: member.role === "agent" };
}

/** Requires a repository that is bound to the project. */
export function* repositoryStep(tx: Tx, projectId: string, id: string): Step<{ id: string; url: string }> {
  const repository = yield* tx.one<{ id: string; url: string }>(
    "select id, url from repository where id = $1 and project_id = $2 and unbound_at is null",
    [id.toLowerCase(), projectId],
  );
  if (!repository) throw new Refusal("invalid_agent_repository");
  return repository;
}
