import { limits } from "../../../../openapi/schema/limits.ts";
import {
  type ChangedFields,
  type Field,
  type Fields,
  formFields,
  type NewFields,
  type ShownFields,
} from "../../../core/fields.ts";
import { whole } from "../core/format.ts";

/**
 * What the input of a field holds, by the kind of the field: lists as text with one entry per line, numbers as typed
 * text.
 */
type DraftOf<F> = F extends { kind: "choices" } | { kind: "texts"; of: readonly string[] }
  ? readonly string[]
  : F extends { kind: "projects" }
    ? ProjectsDraft
    : string;

/** The chosen projects, kept also while "all" is chosen, so that switching back restores them. */
interface ProjectsDraft {
  all: boolean;
  chosen: readonly string[];
}

/** The contents of a form that is being filled in. */
export type Draft<F extends Fields> = { [N in keyof F]: DraftOf<F[N]> };

export type Form = "new" | "change";

/** The contents of a form for a new subject: the defaults of its fields, or the given values. */
export function newDraft<F extends Fields>(fields: F, begun: Partial<Draft<F>> = {}): Draft<F> {
  const usual = Object.entries<Field>(fields).map(([name, field]) => [name, drafted(field, defaultOf(field))]);
  return { ...(Object.fromEntries(usual) as Draft<F>), ...begun };
}

/** The contents of a form for an existing subject: its present fields. */
export function draftOf<F extends Fields>(fields: F, shown: ShownFields<F>): Draft<F> {
  return Object.fromEntries(
    Object.entries<Field>(fields).map(([name, field]) => [name, drafted(field, shown[name])]),
  ) as Draft<F>;
}

function defaultOf(field: Field): unknown {
  if ("default" in field) return field.default;
  return field.kind === "projects" ? [] : null;
}

function drafted(field: Field, value: unknown): unknown {
  const { kind } = field;
  if (kind === "projects") return { all: value === "all", chosen: value === "all" ? [] : value };
  if (choicesOf(field)) return value;
  if (kind === "texts") return (value as string[]).join("\n");
  return value === null ? "" : String(value);
}

/** The values that a field's list may have; undefined where any text may stand in it. */
export function choicesOf(field: Field): readonly { value: string; about?: string }[] | undefined {
  if (field.kind === "choices") return field.of;
  return field.kind === "texts" ? field.of?.map((value) => ({ value })) : undefined;
}

/** The body of the call: every field of the form. */
export function bodyOf<F extends Fields>(fields: F, form: "new", draft: Draft<F>): NewFields<F>;
export function bodyOf<F extends Fields>(fields: F, form: "change", draft: Draft<F>): ChangedFields<F>;
export function bodyOf<F extends Fields>(fields: F, form: Form, draft: Draft<F>): unknown {
  return Object.fromEntries(formFields(fields, form).map(([name, field]) => [name, givenBy(field, draft[name])]));
}

function givenBy(field: Field, draft: unknown): unknown {
  if (choicesOf(field)) return [...(draft as readonly string[])];
  switch (field.kind) {
    case "projects": {
      const { all, chosen } = draft as ProjectsDraft;
      return all ? "all" : [...chosen];
    }
    case "texts":
      return (draft as string)
        .split("perLine" in field ? /\n/ : /\s+/)
        .map((text) => text.trim())
        .filter((text) => text !== "");
    case "whole":
      return Number(draft);
    case "bound":
      return draft === "" ? null : Number(draft);
    case "address":
      return (draft as string).trim();
    case "text":
      return (draft as string).trim() === "" ? null : (draft as string).trim();
    default:
      return draft;
  }
}

/** Whether the form finds no fault in any field; the server checks again. */
export function isReady<F extends Fields>(fields: F, form: Form, draft: Draft<F>): boolean {
  return formFields(fields, form).every(([name, field]) => fits(field, draft[name]));
}

function fits(field: Field, draft: unknown): boolean {
  switch (field.kind) {
    case "name":
      return (draft as string).trim() !== "" && !isTooLong(field, draft);
    case "text":
      return !isTooLong(field, draft) && !(field.required && (draft as string).trim() === "");
    case "id":
      return draft !== "";
    case "address":
      return (draft as string).trim() !== "";
    case "texts":
      return !field.of || (draft as readonly string[]).length > 0;
    case "whole":
    case "bound": {
      if (field.kind === "bound" && draft === "") return true;
      const number = draft === "" ? Number.NaN : Number(draft);
      return Number.isInteger(number) && number >= field.min && number <= field.max;
    }
    default:
      return true;
  }
}

/** Length in code points, as the server counts. */
export function lengthOf(text: string): number {
  return [...text].length;
}

export function maxOf(field: Field): number {
  return field.kind === "text" ? field.max : limits.nameMax;
}

export function isTooLong(field: Field, draft: unknown): boolean {
  return lengthOf(draft as string) > maxOf(field);
}

/** The changed fields with their old and new value in words. The order of a list does not matter. */
export function changesOf<F extends Fields>(fields: F, before: Draft<F>, after: Draft<F>, namesOf: NamesOf) {
  return formFields(fields, "change").flatMap(([name, field]) => {
    const [was, is] = [givenBy(field, before[name]), givenBy(field, after[name])];
    if (sorted(was) === sorted(is)) return [];
    return [
      {
        what: field.fact?.label ?? field.label ?? name,
        from: wordsOf(field, was, namesOf),
        to: wordsOf(field, is, namesOf),
      },
    ];
  });
}

function sorted(value: unknown): string {
  return JSON.stringify(Array.isArray(value) ? value.toSorted() : value);
}

/** The names of projects as text. */
type NamesOf = (projectIds: readonly string[]) => string;

/** The value of a field as text. */
export function wordsOf(field: Field, value: unknown, namesOf: NamesOf): string {
  switch (field.kind) {
    case "projects":
      return value === "all" ? "all projects" : namesOf(value as string[]);
    case "choices":
    case "texts":
      return (value as string[]).toSorted().join(", ") || "none";
    default:
      if (value === null) return "none";
      return [typeof value === "number" ? whole(value) : value, field.fact?.unit].join(" ").trim();
  }
}
