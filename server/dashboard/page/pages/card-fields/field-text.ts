import type { PlainFieldName } from "../../../../../openapi/schema/ticket-fields.ts";
import { calendarDay } from "../../core/time.ts";
import { formFields } from "./form-fields.ts" with { type: "macro" };
import type { FormFieldName } from "./form-fields.ts";

/** The fields of a card for forms. Frozen, because the bundler would otherwise copy the literal to every use. */
export const fields = Object.freeze(formFields());

export function isFieldName(name: string): name is FormFieldName {
  return Object.hasOwn(fields, name);
}

/** The names of all fields, in the order of the documents. */
export const fieldNames = Object.keys(fields) as FormFieldName[];

/** Fields that are a value and are changed alone. */
export const plainFields = fieldNames.filter((name): name is PlainFieldName => fields[name].role === 1);

/** The text that a control shows for a value. */
export function textOf(value: unknown): string {
  return [value ?? ""].flat().join(", ");
}

/** The value that the text of a control means; items of a list are separated by commas. */
export function writtenValue(name: FormFieldName, text: string): unknown {
  if (fields[name].kind === "list") return text.split(/\s*,\s*/).filter((item) => item !== "");
  return text === "" ? null : text;
}

/** A value as text for people; empty when there is none. */
export function shownText(name: FormFieldName, value: unknown): string {
  const text = textOf(value);
  const { kind, choices } = fields[name];
  return kind === "date" && text !== "" ? calendarDay(text) : (choices?.[text] ?? text);
}
