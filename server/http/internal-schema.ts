import { type TProperties, Type } from "@sinclair/typebox";
import { isUuid } from "../../openapi/check.ts";
import { Refusal } from "../core/context.ts";

/** A UUID in either case. */
export const Uuid = Type.String({
  pattern: "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$",
  errorMessage: "must be a UUID.",
});

/** The schema of an object without further members. */
export function closed<Members extends TProperties>(members: Members) {
  return Type.Object(members, { additionalProperties: false });
}

/** The schema of a text that is one of `values`. */
export function oneOf<const Value extends string>(values: readonly Value[]) {
  return Type.Unsafe<Value>({
    ...Type.Union(values.map((value) => Type.Literal(value))),
    errorMessage: `must be one of ${values.join(", ")}.`,
  });
}

/** The id in the path of a call, in lower case; 404 when it is no UUID. */
export function idOf(params: Record<string, string>, name = "id"): string {
  const id = params[name] ?? "";
  if (!isUuid(id)) throw new Refusal("not_found");
  return id.toLowerCase();
}
