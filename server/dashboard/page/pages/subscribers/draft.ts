import type { Field } from "../../../../core/fields.ts";
import { type SubscriberFields, subscriberFields } from "../../../../webhooks/subscribers/subscriber-fields.ts";
import type { Subscriber, SubscriberBody } from "./subscriber.ts";

type FieldName = keyof SubscriberFields;

/** The contents of a subscriber's form, by field: text or a choice. `headers` is null when they are to be removed. */
type Draft = Record<FieldName, string | readonly string[]> & { headers: string | null };

export const subscriberInputs = Object.entries(subscriberFields) as [FieldName, Field][];

/**
 * The initial contents of the form: the fields of a subscriber, or the defaults of a new one. Headers are never shown.
 */
export function draftOf(subscriber: Subscriber | undefined): Draft {
  const fields = subscriberInputs.map(([name, field]) => [name, drafted(field, presentOf(name, field, subscriber))]);
  return { ...Object.fromEntries(fields), headers: "" };
}

function presentOf(name: FieldName, field: Field, subscriber: Subscriber | undefined): unknown {
  if (!subscriber) return "default" in field ? field.default : null;
  return name === "name" && subscriber.name === subscriber.host ? null : subscriber[name];
}

function drafted(field: Field, value: unknown): string | readonly string[] {
  if (!Array.isArray(value)) return String(value ?? "");
  return field.kind === "texts" && field.of ? value : value.join(", ");
}

/** The body of the call that saves the form. */
export function bodyOf({ headers, ...draft }: Draft): SubscriberBody {
  const fields = subscriberInputs.map(([name, field]) => [name, given(field, draft[name])]);
  return { ...Object.fromEntries(fields), ...(headers?.trim() === "" ? {} : { headers }) };
}

function given({ kind }: Field, draft: string | readonly string[]): unknown {
  if (typeof draft !== "string") return draft;
  const text = draft.trim();
  if (kind === "texts") {
    return text
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== "");
  }
  if (kind === "bound") return text === "" ? null : Number(text);
  return kind === "text" && text === "" ? null : text;
}

/** Whether every required field is filled in and every choice has at least one value. */
export function isComplete(draft: Draft): boolean {
  return subscriberInputs.every(([name, { required }]) => {
    const value = draft[name];
    return typeof value === "string" ? !required || value.trim() !== "" : value.length > 0;
  });
}
