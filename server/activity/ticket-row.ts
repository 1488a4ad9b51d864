import {
  fieldNames,
  type PlaceFieldName,
  type StoredFieldName,
  storedFields,
  type TicketField,
  type TicketFieldName,
  type TicketFields,
  ticketFields,
  type ValueOf,
} from "../../openapi/schema/ticket-fields.ts";
import type { Value } from "../core/store.ts";

/** A row of the table `ticket`: the columns of its fields, and what the server keeps beside them. Queries pick from it. */
export type TicketRow = FieldColumns & {
  id: string;
  column_id: string;
  /** Orders the cards of a column; cards of the same position are ordered by id. */
  position: number;
  /** Version of title and description: raised with each edit. */
  version: number;
  token_id: string | null;
  author_id: string | null;
  /** Name of the token or the member at the time of the creation. */
  author_name: string;
  idempotency_key: string | null;
  /** How many requests were answered again for the same key, and how many of those had another body. */
  replays: number;
  mismatches: number;
  /** Epoch milliseconds, as every time of the row. */
  created_at: number;
  updated_at: number | null;
  archived_at: number | null;
  deleted_at: number | null;
  /** 1 while it is neither archived nor deleted. */
  live: number;
  moves: number;
  moved_at: number | null;
  /** JSON of an `ActorView`. */
  moved_by: string | null;
};

/** A row of a ticket together with the board and the project that its column belongs to. */
export type PlacedTicketRow = TicketRow & { board_id: string; project_id: string };

/** The fields of a stored ticket, as the API, the command line and the page name them. */
export type StoredTicket = { [Name in TicketFieldName]: StoredValue<Name> };

/** A field that may be absent is null then, unless it has a default. */
type StoredValue<Name extends TicketFieldName> = TicketFields[Name] extends
  | { required: true }
  | { schema: { default: unknown } }
  ? ValueOf<TicketFields[Name]["schema"]>
  : Name extends PlaceFieldName
    ? string
    : ValueOf<TicketFields[Name]["schema"]> | null;

/** Lists are kept as JSON. */
type FieldColumns = {
  [Name in StoredFieldName as TicketFields[Name]["column"]]: StoredValue<Name> extends string ? string : string | null;
};

const placeColumns = { projectId: "project_id", boardId: "board_id", columnId: "column_id" } as const;

/** The column that holds a field, in a row of a ticket with its place. */
export type ColumnOf<Name extends TicketFieldName> = Name extends StoredFieldName
  ? TicketFields[Name]["column"]
  : Name extends PlaceFieldName
    ? (typeof placeColumns)[Name]
    : never;

/** The column of each field, in a row of a ticket with its place. */
const columns = Object.fromEntries(
  fieldNames.map((name) => [
    name,
    name in placeColumns ? placeColumns[name as PlaceFieldName] : columnOf(name as StoredFieldName),
  ]),
) as { [Name in TicketFieldName]: ColumnOf<Name> };

/** The column of a stored field. */
export function columnOf<Name extends StoredFieldName>(name: Name): TicketFields[Name]["column"] {
  return ticketFields[name].column;
}

/** Columns of these fields for a `select` in which the ticket is `t`: `t.priority, t.due_at`. */
export function selectFields(names: readonly StoredFieldName[] = storedFields): string {
  return names.map((name) => `t.${columnOf(name)}`).join(", ");
}

/** These fields of a row, under the names that callers know. */
export function presentFields<Name extends TicketFieldName>(
  row: Readonly<Record<ColumnOf<Name>, Value>>,
  names: readonly Name[],
): Pick<StoredTicket, Name> {
  const fields: Record<string, unknown> = {};
  for (const name of names) fields[name] = fieldValue(name, row[columns[name]]);
  return fields as Pick<StoredTicket, Name>;
}

/** What a column holds as the value of its field. */
export function fieldValue(name: TicketFieldName, stored: Value): unknown {
  return isList(name) && typeof stored === "string" ? JSON.parse(stored) : stored;
}

/** A checked value as its column holds it; what is absent becomes the default of the field, else null. */
export function columnValue(name: StoredFieldName, value: unknown): Value {
  if (value === undefined) return absent[name];
  return Array.isArray(value) ? JSON.stringify(value) : (value as Value);
}

const absent = Object.fromEntries(
  storedFields.map((name) => [name, columnValue(name, (ticketFields[name] as TicketField).schema.default ?? null)]),
) as Record<StoredFieldName, Value>;

function isList(name: TicketFieldName): boolean {
  return (ticketFields[name] as TicketField).schema.type === "array";
}
