import { type Static, type TObject, type TProperties, type TSchema, Type } from "@sinclair/typebox";
import { type ChangedFields, type Field, type Fields, fieldEntries, type NewFields } from "../core/fields.ts";
import { closed, oneOf, Uuid } from "./internal-schema.ts";

/** The schema of a body that creates a subject with these fields, and with further members. */
export function newBody<F extends Fields, Beside extends TProperties = Record<never, never>>(
  fields: F,
  beside?: Beside,
) {
  const members = fieldEntries(fields).map(([name, field]) => {
    return [name, field.required ? schemaOf(field) : Type.Optional(schemaOf(field))] as const;
  });
  return Type.Unsafe<NewFields<F> & Static<TObject<Beside>>>(closed({ ...Object.fromEntries(members), ...beside }));
}

/**
 * The schema of a body that changes a subject with these fields, and with further members: absent members stay
 * unchanged.
 */
export function changeBody<F extends Fields, Beside extends TProperties = Record<never, never>>(
  fields: F,
  beside?: Beside,
) {
  const members = fieldEntries(fields).filter(([, { fixed }]) => !fixed);
  const optional = members.map(([name, field]) => [name, Type.Optional(schemaOf(field))]);
  return Type.Unsafe<ChangedFields<F> & Static<TObject<Beside>>>(
    closed({ ...Object.fromEntries(optional), ...beside }),
  );
}

function schemaOf(field: Field): TSchema {
  switch (field.kind) {
    case "name":
    case "address":
      return Type.String();
    case "text":
      return field.required ? Type.String() : Type.Union([Type.String(), Type.Null()]);
    case "id":
      return Uuid;
    case "whole":
      return Type.Integer({ minimum: field.min, maximum: field.max });
    case "bound":
      return Type.Union([Type.Integer({ minimum: field.min, maximum: field.max }), Type.Null()], {
        errorMessage: `must be a whole number from ${field.min} to ${field.max}, or null.`,
      });
    case "choice":
      return oneOf(field.of);
    case "choices":
      return Type.Array(oneOf(field.of.map(({ value }) => value)), { maxItems: field.of.length });
    case "texts":
      return field.of
        ? Type.Array(oneOf(field.of), { maxItems: field.of.length })
        : Type.Array(Type.String(), {
            maxItems: field.max,
            errorMessage: `must be a list of at most ${field.max} texts.`,
          });
    case "projects":
      return Type.Union([Type.Literal("all"), Type.Array(Uuid)], {
        errorMessage: 'must be "all" or a list of project ids.',
      });
  }
}
