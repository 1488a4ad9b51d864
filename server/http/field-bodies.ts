import { type TSchema, Type } from "@sinclair/typebox";
import { type ChangedFields, type Field, type Fields, fieldEntries, type NewFields } from "../core/fields.ts";
import { closed, oneOf, Uuid } from "./internal-schema.ts";

/** The body of a call that creates a subject with these fields. */
export function newBody<F extends Fields>(fields: F) {
  const members = fieldEntries(fields).map(([name, field]) => {
    return [name, field.required ? schemaOf(field) : Type.Optional(schemaOf(field))] as const;
  });
  return Type.Unsafe<NewFields<F>>(closed(Object.fromEntries(members)));
}

/** The body of a call that changes a subject with these fields: what is absent stays as it is. */
export function changeBody<F extends Fields>(fields: F) {
  const members = fieldEntries(fields).filter(([, { fixed }]) => !fixed);
  return Type.Unsafe<ChangedFields<F>>(
    closed(Object.fromEntries(members.map(([name, field]) => [name, Type.Optional(schemaOf(field))]))),
  );
}

function schemaOf(field: Field): TSchema {
  switch (field.kind) {
    case "name":
      return Type.String();
    case "text":
      return Type.Union([Type.String(), Type.Null()]);
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
      return Type.Array(Type.String());
    case "projects":
      return Type.Union([Type.Literal("all"), Type.Array(Uuid)], {
        errorMessage: 'must be "all" or a list of project ids.',
      });
  }
}
