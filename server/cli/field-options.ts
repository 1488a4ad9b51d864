import type { FieldRules } from "../core/check-fields.ts";
import {
  type ChangedFields,
  type Field,
  type FieldFlag,
  type Fields,
  fieldEntries,
  type Reach,
  type SomeFields,
  type ValueOf,
} from "../core/fields.ts";
import { requireName } from "../core/names.ts";
import { checked, choice, flag, integer, many, type OptionSpec, required, text, UsageError, uuid } from "./options.ts";

type Form = "new" | "change";

/**
 * The flags of a command that creates (`new`) or changes a subject. Flags of fields that cannot be changed later come
 * first.
 */
export function fieldOptions<F extends Fields>(
  fields: F,
  form: Form,
  rules: FieldRules<F> = {},
): Record<string, OptionSpec<unknown>> {
  const options: Record<string, OptionSpec<unknown>> = {};
  for (const [name, field] of flagged(fields, form)) {
    const { flag: fieldFlag } = field;
    const spec = specOf(field, fieldFlag, form, rules[name] as ((value: never) => unknown) | undefined);
    // The flag of a list is not required, because the flag beside it may replace it.
    options[fieldFlag.name] = form === "new" && field.required && !fieldFlag.instead ? required(spec) : spec;
    if (hasInstead(fieldFlag, form)) options[fieldFlag.instead.name] = flag(fieldFlag.instead.about);
  }
  return options;
}

/** Reads the flags of a command that creates a subject. */
export function newGiven<F extends Fields>(fields: F, options: Options): GivenNew<F> {
  return fieldsGiven(fields, "new", options) as GivenNew<F>;
}

/**
 * Reads the flags of a command that changes a subject. Without any of them it is a usage error, unless the command has
 * `other` flags that were given.
 */
export function changeGiven<F extends Fields>(fields: F, options: Options, other = false): ChangedFields<F> {
  const change = fieldsGiven(fields, "change", options);
  if (!other && Object.values(change).every((value) => value === undefined)) throw new UsageError("say what to change");
  return change as ChangedFields<F>;
}

/** A required field is always there, unless another flag may stand for it. */
type GivenNew<F extends Fields> = {
  [N in keyof F]: F[N] extends { flag: { instead: unknown } }
    ? ValueOf<F[N]> | undefined
    : F[N] extends { required: true }
      ? ValueOf<F[N]>
      : ValueOf<F[N]> | undefined;
};

type Options = Readonly<Record<string, unknown>>;

/** Reads the values of flags by field; undefined for a flag that was not given. */
export function fieldsGiven<F extends Fields>(fields: F, form: Form, options: Options): SomeFields<F> {
  const given: Record<string, unknown> = {};
  for (const [name, field] of flagged(fields, form)) {
    const { flag: fieldFlag } = field;
    const value = emptyIsAbsent(options[fieldFlag.name]);
    if (!hasInstead(fieldFlag, form) || options[fieldFlag.instead.name] !== true) given[name] = value;
    else if (value !== undefined)
      throw new UsageError(`give either --${fieldFlag.name} or --${fieldFlag.instead.name}`);
    else given[name] = insteadOf(field);
  }
  return given as SomeFields<F>;
}

type Flagged = Field & { flag: FieldFlag };

function flagged<F extends Fields>(fields: F, form: Form): [keyof F & string, Flagged][] {
  const flaggedFields = fieldEntries(fields).filter(
    (entry): entry is [keyof F & string, Flagged] => entry[1].flag !== undefined,
  );
  const changing = flaggedFields.filter(([, { fixed }]) => !fixed);
  return form === "change" ? changing : [...flaggedFields.filter(([, { fixed }]) => fixed), ...changing];
}

function hasInstead(
  fieldFlag: FieldFlag,
  form: Form,
): fieldFlag is FieldFlag & { instead: NonNullable<FieldFlag["instead"]> } {
  return fieldFlag.instead !== undefined && !(form === "new" && fieldFlag.instead.changeOnly);
}

function emptyIsAbsent(value: unknown): unknown {
  return Array.isArray(value) && value.length === 0 ? undefined : value;
}

function insteadOf({ kind }: Field): Reach | null {
  if (kind === "projects") return "all";
  return kind === "choices" || kind === "texts" ? [] : null;
}

function specOf(
  field: Field,
  fieldFlag: FieldFlag,
  form: Form,
  rule: ((value: never) => unknown) | undefined,
): OptionSpec<unknown> {
  const { placeholder = "" } = fieldFlag;
  const about = (form === "new" ? fieldFlag.aboutNew : undefined) ?? fieldFlag.about;
  switch (field.kind) {
    case "name":
      return checked(placeholder, about, requireName);
    case "id":
      return uuid(placeholder, about);
    case "text":
    case "address":
      return rule ? checked(placeholder, about, rule as (value: string) => string) : text(placeholder, about);
    case "whole":
    case "bound":
      return integer(placeholder, about, field);
    case "choice":
      return choice(field.of, about);
    case "choices":
      return many(
        choice(
          field.of.map(({ value }) => value),
          about,
        ),
      );
    case "projects":
      return many(uuid(placeholder, about));
    case "texts": {
      if (field.of) return many(choice(field.of, about));
      const ruleOfMany = rule as ((values: string[]) => string[]) | undefined;
      if (!ruleOfMany) return many(text(placeholder, about));
      return many(checked(placeholder, about, (value) => ruleOfMany([value])[0] ?? value));
    }
  }
}
