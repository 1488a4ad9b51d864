import {
  type FieldKind,
  fieldEntries,
  kindOf,
  plainFields,
  type TicketFieldName,
} from "../../../../../openapi/schema/ticket-fields.ts";

/** Fields that a person may edit. The project and the board of a card follow from the page. */
export type FormFieldName = Exclude<TicketFieldName, "projectId" | "boardId">;

/** What a form needs to know of a field. */
interface FormField {
  label: string;
  /** Absent for a text. */
  kind?: Exclude<FieldKind, "text">;
  /** 1: a value that is changed alone; 2: a text that is saved with its version. */
  role?: 1 | 2;
  /** The name of each choice, in the order in which the page offers them: the strongest first, the default last. */
  choices?: Record<string, string>;
  /** The value of the field when nothing is given. */
  absent?: unknown;
}

/** A macro: it runs while the page is bundled, so that browsers load these few members instead of the whole table. */
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
