import {
  type OptionName,
  optionNames,
  optionOf,
  type SubscriberOption,
} from "../../../../webhooks/subscribers/subscriber-options.ts";
import type { Subscriber, SubscriberChange } from "./subscriber.ts";

/** What stands in the fields of the options: text, the choices that are taken, or null: to be taken away. */
export type FormValues = Record<OptionName, string | readonly string[] | null>;

/** What the fields begin with: the options of a subscriber, or those of a new one. */
export function formValuesOf(subscriber: Subscriber | undefined): FormValues {
  const values = optionNames.map((name) => [name, startOf(name, optionOf(name), subscriber)]);
  return Object.fromEntries(values) as FormValues;
}

function startOf(name: OptionName, option: SubscriberOption, subscriber: Subscriber | undefined) {
  if (option.kind === "choices") return subscriber?.[name] ?? option.choices.slice(0, 1);
  // Their values are never shown.
  if (option.kind === "headers" || !subscriber) return "";
  if (name === "name" && subscriber.name === subscriber.host) return "";
  const value = subscriber[name];
  return Array.isArray(value) ? value.join(", ") : String(value ?? "");
}

/** The members of a call's body; those that are undefined leave their option as it is. */
export function bodyOf(values: FormValues): SubscriberChange & { url: string } {
  const members = optionNames.map((name) => [name, memberOf(optionOf(name), values[name])]);
  return Object.fromEntries(members) as SubscriberChange & { url: string };
}

function memberOf({ kind }: SubscriberOption, value: string | readonly string[] | null) {
  if (typeof value !== "string") return value;
  const text = value.trim();
  switch (kind) {
    case "texts":
      return text
        .split(",")
        .map((one) => one.trim())
        .filter((one) => one !== "");
    case "headers":
      return text === "" ? undefined : value;
    case "text":
      return text === "" ? null : value;
    case "integer":
      return text === "" ? null : Number(text);
    default:
      return text;
  }
}

/** An address is given, and one choice at least is taken. */
export function isComplete(values: FormValues): boolean {
  return optionNames.every((name) => {
    const [{ kind }, value] = [optionOf(name), values[name]];
    if (kind === "address") return typeof value === "string" && value.trim() !== "";
    return kind !== "choices" || value?.length !== 0;
  });
}
