import { longerThan } from "../../openapi/check.ts";
import { Refusal } from "./context.ts";
import { type Field, type Fields, fieldEntries, type ShownFields, type SomeFields } from "./fields.ts";
import { requireName, requirePlain } from "./names.ts";

/** Rules that a subject has for some of its fields, beyond those of their kind. Each returns the value to store. */
export type FieldRules<F extends Fields> = {
  [N in keyof F]?: (value: NonNullable<ShownFields<F>[N]>) => ShownFields<F>[N];
};

/**
 * The given fields as they are stored: names and texts checked, ids in lower case, each id of a list once. Throws a
 * {@link Refusal}, `invalid_input`, for the first one that is not valid.
 */
export function checkFields<F extends Fields, Given extends SomeFields<F>>(
  fields: F,
  given: Given,
  rules: FieldRules<F> = {},
): Given {
  const checked: Record<string, unknown> = {};
  for (const [name, field] of fieldEntries(fields)) {
    const value = given[name];
    if (value === undefined) continue;
    const rule = rules[name];
    const ruled = rule && value !== null ? rule(value as NonNullable<ShownFields<F>[typeof name]>) : value;
    checked[name] = ofKind(name, field, ruled);
  }
  return checked as Given;
}

function ofKind(name: string, field: Field, value: unknown): unknown {
  switch (field.kind) {
    case "name":
      return requireName(value as string);
    case "text":
      if (value !== null && value !== "") return requireText(name, value as string, field.max);
      if (field.required) throw new Refusal("invalid_input", `${name} must not be empty`);
      return null;
    case "id":
      return (value as string).toLowerCase();
    case "texts":
      if (!field.of && (value as string[]).length > field.max) {
        throw new Refusal("invalid_input", `${name} must be a list of at most ${field.max} texts`);
      }
      return value;
    case "projects":
      return value === "all" ? value : [...new Set((value as string[]).map((id) => id.toLowerCase()))];
    default:
      return value;
  }
}

function requireText(name: string, text: string, max: number): string {
  if (longerThan(text, max)) throw new Refusal("invalid_input", `${name} must have at most ${max} characters`);
  return requirePlain(text);
}
