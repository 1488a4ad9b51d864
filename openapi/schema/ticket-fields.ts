import { grouped } from "./grouped.ts";
import { limits } from "./limits.ts";

export const priorities = ["none", "low", "medium", "high"] as const;

/**
 * Every field that a caller may give a new ticket, declared once, in the order of the documents. The request and answer
 * of `POST /api/v1/tickets`, the MCP tool, the columns that are written and read, the flags of both command lines, the
 * inputs of the GitHub action and the forms of the page derive from this table. Plain data: browsers load it too.
 */
export const ticketFields = {
  title: {
    schema: text("What the card says. Kept as it is, blanks included.", {
      minLength: limits.titleMin,
      maxLength: limits.titleMax,
    }),
    required: true,
    answer: "Its title.",
    column: "title",
    text: true,
    list: "column",
    label: "Title",
    flag: "title",
    placeholder: "T",
    help: `${limits.titleMin} to ${limits.titleMax} characters`,
    example: "Nightly build failed",
  },
  description: {
    schema: text("The text of the card.", { maxLength: limits.descriptionMax }),
    column: "description",
    text: true,
    label: "Description",
    flag: "description",
    placeholder: "D",
    help: `up to ${grouped(limits.descriptionMax)} characters`,
    example: "Step `unit tests` ended with 1.\n\nhttps://ci.example.org/builds/7312",
  },
  projectId: {
    schema: uuid("The project. Without it the token's only one; a token that reaches several must name one."),
    answer: "The project it went to.",
    list: "json",
    label: "Project",
    flag: "project",
    placeholder: "P",
    help: "the project; the token's only one when absent",
    example: "019a9c1e-6d00-7f02-a1b7-3c5d7e9f1a20",
  },
  boardId: {
    schema: uuid("A board of the project. Without it the first one."),
    answer: "The board it went to.",
    list: "json",
    label: "Board",
    flag: "board",
    placeholder: "B",
    help: "the board; the project's first when absent",
    example: "019a9c1e-6d00-7f03-b2c8-4d6e8fa02b31",
  },
  columnId: {
    schema: uuid("A column of the board. Without it the leftmost one."),
    answer: "The column it went to, at its top.",
    list: "column",
    label: "Column",
    flag: "column",
    placeholder: "C",
    help: "the column; the board's leftmost when absent",
    example: "019a9c1e-6d00-7f04-93d9-5e7f90b13c42",
  },
  priority: {
    schema: {
      type: "string",
      enum: priorities,
      default: "none",
      description: "How urgent it is.",
    },
    column: "priority",
    list: "column",
    label: "Priority",
    flag: "priority",
    placeholder: priorities.join("|"),
    help: "none when absent",
    example: "high",
  },
  assigneeUserId: {
    schema: nullable(
      "uuid",
      "A member of the organisation. When it is the organisation's AI agent, a run is queued: that consumes credits and may open a pull request.",
    ),
    column: "assignee_id",
    label: "Assignee",
    flag: "assignee",
    placeholder: "M",
    help: "a member; the AI agent starts an autonomous run",
    example: null,
  },
  agentRepositoryId: {
    schema: nullable("uuid", "The repository that a run works against, one that is bound to the project."),
    column: "repository_id",
    label: "Repository",
    flag: "repository",
    placeholder: "R",
    help: "the repository an agent run works against",
    example: null,
  },
  startsAt: {
    schema: nullable("date", "A day that exists, YYYY-MM-DD; not after dueAt."),
    column: "starts_at",
    label: "Starts",
    flag: "starts",
    placeholder: "YYYY-MM-DD",
    help: "first day",
    example: "2026-11-23",
  },
  dueAt: {
    schema: nullable("date", "A day that exists, YYYY-MM-DD; not before startsAt."),
    column: "due_at",
    label: "Due",
    flag: "due",
    placeholder: "YYYY-MM-DD",
    help: "last day",
    example: "2026-11-27",
  },
} as const satisfies Record<string, TicketField>;

export interface TicketField {
  /** JSON Schema of the member in the request. */
  schema: FieldSchema;
  /** The request must hold the member. */
  required?: true;
  /** Description of the member in the answer that follows the creation; without one the answer has no such member. */
  answer?: string;
  /** Column of the table `ticket`; none for the place of a ticket, which follows from its board column. */
  column?: string;
  /** Written by several people: an edit names the version of the text that it began from. */
  text?: true;
  /** Part of `intake ticket list`: of its table too, or of its JSON alone. */
  list?: "column" | "json";
  /** Name of the field on the page. */
  label: string;
  /** Flag of `ticket create`, without its dashes, and input of the GitHub action. */
  flag: string;
  /** Placeholder for the value in the help of the flag. */
  placeholder: string;
  /** Help of the flag. */
  help: string;
  /** Value in the complete example of the documents. */
  example: unknown;
}

/** The part of JSON Schema that fields use. `default` is stored when the member is absent, and null without one. */
export interface FieldSchema {
  type: "string" | "array" | readonly ["string", "null"];
  description: string;
  format?: "uuid" | "date";
  enum?: readonly string[];
  default?: unknown;
  minLength?: number;
  maxLength?: number;
  items?: { type: "string"; minLength: number; maxLength: number };
  maxItems?: number;
}

export type FieldKind = "uuid" | "date" | "choice" | "list" | "text";

/** How people and scripts write the value of a field, for flags, inputs and forms. */
export function kindOf({ format, enum: choices, type }: FieldSchema): FieldKind {
  return format ?? (choices ? "choice" : type === "array" ? "list" : "text");
}

export type TicketFields = typeof ticketFields;
export type TicketFieldName = keyof TicketFields;

/** The TypeScript type of a schema's values. */
export type ValueOf<S> = S extends { enum: readonly (infer Choice)[] }
  ? Choice
  : S extends { type: "array" }
    ? string[]
    : S extends { type: readonly string[] }
      ? string | null
      : string;

/** Fields with a column of their own in the table `ticket`. */
export type StoredFieldName = NamesOf<{ column: string }>;
/** Fields that decide in which column the ticket is created. */
export type PlaceFieldName = Exclude<TicketFieldName, StoredFieldName>;
/** Stored fields that hold the id of another thing. */
export type ReferenceFieldName = StoredFieldName & NamesOf<{ schema: { format: "uuid" } }>;
/** Stored fields that are a value and are changed alone. */
export type PlainFieldName = Exclude<StoredFieldName, ReferenceFieldName | NamesOf<{ text: true }>>;
/** Fields that the answer to the creation repeats. */
export type AnsweredFieldName = NamesOf<{ answer: string }>;
/** Fields that `intake ticket list` gives. */
export type ListedFieldName = NamesOf<{ list: string }>;

type NamesOf<Shape> = { [Name in TicketFieldName]: TicketFields[Name] extends Shape ? Name : never }[TicketFieldName];

/** Every field by its name, in the order of the table. */
export const fieldEntries = Object.entries<TicketField>(ticketFields) as [TicketFieldName, TicketField][];

export const fieldNames = named<TicketFieldName>(() => true);
export const storedFields = named<StoredFieldName>(isStored);
export const referenceFields = named<ReferenceFieldName>((field) => isStored(field) && isReference(field));
export const plainFields = named<PlainFieldName>((field) => isStored(field) && !isReference(field) && !field.text);
export const answeredFields = named<AnsweredFieldName>(({ answer }) => answer !== undefined);
export const listedFields = named<ListedFieldName>(({ list }) => list !== undefined);

function named<Name extends TicketFieldName>(fits: (field: TicketField) => boolean): readonly Name[] {
  return fieldEntries.filter(([, field]) => fits(field)).map(([name]) => name as Name);
}

function isStored({ column }: TicketField): boolean {
  return column !== undefined;
}

function isReference({ schema }: TicketField): boolean {
  return schema.format === "uuid";
}

function text(description: string, bounds: { minLength?: number; maxLength: number }) {
  return { ...bounds, description, type: "string" } as const;
}

function uuid(description: string) {
  return { format: "uuid", description, type: "string" } as const;
}

function nullable<const Format extends "uuid" | "date">(format: Format, description: string) {
  return { type: ["string", "null"], format, description } as const;
}
