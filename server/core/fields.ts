import type { Value } from "./store.ts";

/**
 * A field that people give a subject, such as the limit of an API token. Each subject declares its fields once, in a
 * table of these; insert, update, audit, lists, the bodies of the page's calls, forms, flags and their help derive from
 * the table. Tables are plain data without imports of the server, because browsers load them too.
 */
export type Field = FieldWords & FieldKind;

interface FieldWords {
  /** Name of the column in the subject's table. */
  column: string;
  /** A new subject must have the field. */
  required?: true;
  /** Given when the subject is created, and never changed. */
  fixed?: true;
  /** The label of the input in a form. Forms leave out a field without one. */
  label?: string;
  /** The hint below the input in a form. */
  help?: string;
  /** How the page of one subject labels the value, with what it counts; the label where this is absent. */
  fact?: { label: string; unit?: string };
  /** The placeholder of the input in a form. */
  placeholder?: string;
  /** The text is not prose but something that machines read. */
  code?: "address" | "name";
  /** What an empty list means, as a warning in a form. */
  empty?: string;
  /** Absent when the command line has no flag for the field. */
  flag?: FieldFlag;
}

type FieldKind =
  /** 1 to 80 code points, not blank. */
  | { kind: "name" }
  /** Up to `max` code points, or null. */
  | { kind: "text"; max: number; default?: null }
  | { kind: "id" }
  /** A URL that requests are sent to. */
  | { kind: "address" }
  | { kind: "whole"; min: number; max: number; default: number }
  /** A whole number, or null for none. */
  | { kind: "bound"; min: number; max: number; default?: null }
  | { kind: "choice"; of: readonly string[]; default?: string }
  /** Some out of a list, stored sorted and with a blank between them. */
  | { kind: "choices"; of: readonly { value: string; about: string }[]; default: readonly string[] }
  /** Texts, some out of a list or up to `max` of any, each once, stored as JSON; null when there are none. */
  | { kind: "texts"; of: readonly string[]; default: readonly string[] }
  /** `perLine`: a form has one text on each line, because texts may have blanks. */
  | { kind: "texts"; of?: undefined; max: number; default: readonly string[]; perLine?: true }
  /** `"all"` projects, or a list of their ids. The column holds 1 for all; the list has a table of its own. */
  | { kind: "projects"; default?: "all" };

/** The flags of a field on the command line. */
export interface FieldFlag {
  name: string;
  /** Stands for the value in the help; the choices do where it is absent. */
  placeholder?: string;
  about: string;
  /** The help of `create`, where it differs from that of a change. */
  aboutNew?: string;
  /** Another flag, which replaces the value by the empty list, all projects, or null. */
  instead?: {
    name: string;
    about: string;
    /** Only the command that changes a subject has the other flag. */
    changeOnly?: true;
  };
}

export type Fields = Readonly<Record<string, Field>>;

/** Every project, also later ones; or only the listed ones. */
export type Reach = "all" | string[];

/** The value of a field, as use cases take it and answers show it. */
export type ValueOf<F> = F extends { kind: "name" | "id" | "address" } | { kind: "text"; required: true }
  ? string
  : F extends { kind: "text" }
    ? string | null
    : F extends { kind: "whole" }
      ? number
      : F extends { kind: "bound" }
        ? number | null
        : F extends { kind: "choice"; of: readonly (infer Choice)[] }
          ? Choice
          : F extends { kind: "choices"; of: readonly { value: infer Choice }[] }
            ? Choice[]
            : F extends { kind: "texts"; of: readonly (infer Choice)[] }
              ? Choice[]
              : F extends { kind: "texts" }
                ? string[]
                : F extends { kind: "projects" }
                  ? Reach
                  : never;

/** What the column of a field holds. */
type StoredOf<F> = F extends { kind: "text"; required: true }
  ? string
  : F extends { kind: "text" | "texts" }
    ? string | null
    : F extends { kind: "whole" | "projects" }
      ? number
      : F extends { kind: "bound" }
        ? number | null
        : F extends { kind: "choice" }
          ? ValueOf<F>
          : string;

type RequiredName<F extends Fields> = { [N in keyof F]: F[N] extends { required: true } ? N : never }[keyof F];
type FixedName<F extends Fields> = { [N in keyof F]: F[N] extends { fixed: true } ? N : never }[keyof F];

/** The columns of the fields, as a row contains them. */
export type FieldRow<F extends Fields> = { [N in keyof F as F[N]["column"]]: StoredOf<F[N]> };

/** Every field with its value, as answers contain it. */
export type ShownFields<F extends Fields> = { -readonly [N in keyof F]: ValueOf<F[N]> };

/** The input that creates a subject: required fields, and any of the others. */
export type NewFields<F extends Fields> = { [N in RequiredName<F>]: ValueOf<F[N]> } & {
  [N in Exclude<keyof F, RequiredName<F>>]?: ValueOf<F[N]> | undefined;
};

/** The input that changes a subject: absent fields stay unchanged, and lists are replaced. */
export type ChangedFields<F extends Fields> = { [N in Exclude<keyof F, FixedName<F>>]?: ValueOf<F[N]> | undefined };

/** Any of the fields. */
export type SomeFields<F extends Fields> = { [N in keyof F]?: ValueOf<F[N]> | undefined };

export function fieldEntries<F extends Fields>(fields: F): [keyof F & string, Field][] {
  return Object.entries(fields);
}

type FlaggedName<F extends Fields> = { [N in keyof F]: F[N] extends { flag: FieldFlag } ? N : never }[keyof F];

/** The names of the fields that the command line knows. */
export function flaggedNames<F extends Fields>(fields: F): FlaggedName<F>[] {
  const known = fieldEntries(fields).filter(([, { flag }]) => flag !== undefined);
  return known.map(([name]) => name as unknown as FlaggedName<F>);
}

/** The fields of a form: those with a label; of a change without those that are fixed. */
export function formFields<F extends Fields>(fields: F, form: "new" | "change"): [keyof F & string, Field][] {
  return fieldEntries(fields).filter(([, field]) => field.label !== undefined && !(form === "change" && field.fixed));
}

/** Every field of a new subject: what is given, else the field's default, else null. */
export function withDefaults<F extends Fields>(fields: F, given: NewFields<F>): ShownFields<F> {
  const values = given as Record<string, unknown>;
  return Object.fromEntries(
    fieldEntries(fields).map(([name, field]) => [name, values[name] ?? ("default" in field ? field.default : null)]),
  ) as ShownFields<F>;
}

/** The stored values of the given fields, by column. */
export function columnsOf<F extends Fields>(fields: F, given: SomeFields<F>): Record<string, Value> {
  const columns: Record<string, Value> = {};
  for (const [name, field] of fieldEntries(fields)) {
    if (given[name] !== undefined) columns[field.column] = stored(field, given[name]);
  }
  return columns;
}

/**
 * Every field as answers contain it, from a row. The row does not contain the chosen projects: they are read as an
 * empty list.
 */
export function shownFields<F extends Fields>(fields: F, row: FieldRow<F>): ShownFields<F> {
  const columns = row as Record<string, Value>;
  return Object.fromEntries(
    fieldEntries(fields).map(([name, field]) => [name, shown(field, columns[field.column] ?? null)]),
  ) as ShownFields<F>;
}

function stored(field: Field, value: unknown): Value {
  switch (field.kind) {
    case "choices":
      return [...new Set(value as string[])].sort().join(" ");
    case "texts":
      return (value as string[]).length === 0 ? null : JSON.stringify(value);
    case "projects":
      return value === "all" ? 1 : 0;
    default:
      return value as string | number | null;
  }
}

function shown(field: Field, column: Value): unknown {
  switch (field.kind) {
    case "choices":
      return column === "" ? [] : (column as string).split(" ");
    case "texts":
      return column === null ? [] : JSON.parse(column as string);
    case "projects":
      return column === 1 ? "all" : [];
    default:
      return column;
  }
}
