import {
  type FieldKind,
  fieldEntries,
  kindOf,
  plainFields,
  type TicketFieldName,
} from "../../../../../openapi/schema/ticket-fields.ts";

/** Fields that a person may write; the project and the board of a card are those of the page. */
export type FormFieldName = Exclude<TicketFieldName, "projectId" | "boardId">;

/** What a form knows of a field. */
interface FormField {
  label: string;
  /** Absent: a text. */
  kind?: Exclude<FieldKind, "text">;
  /** 1: a value that is changed by itself; 2: a text with a version. */
  role?: 1 | 2;
  /** Name of each choice as the page offers them: the strongest first, the one that stands when nothing is said last. */
  choices?: Record<string, string>;
  /** The value when nothing is said. */
  absent?: unknown;
}

/** A macro: runs while the page is bundled, so that browsers load these few members instead of the whole table. */
export function formFields(): Record<FormFieldName, FormField> {
  const plain: readonly string[] = plainFields;
  const written = fieldEntries.filter(([name]) => name !== "projectId" && name !== "boardId");
  const fields = written.map(([name, { label, schema, text }]) => [
    name,
    {
      label,
      ...(kindOf(schema) === "text" ? {} : { kind: kindOf(schema) }),
      ...(plain.includes(name) ? { role: 1 } : text ? { role: 2 } : {}),
      ...(schema.enum
        ? { choices: Object.fromEntries(schema.enum.toReversed().map((choice) => [choice, capital(choice)])) }
        : {}),
      ...(schema.default === undefined ? {} : { absent: schema.default }),
    },
  ]);
  return Object.fromEntries(fields) as Record<FormFieldName, FormField>;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
