import { type TProperties, Type } from "@sinclair/typebox";
import { isUuid } from "../../openapi/check.ts";
import { Refusal } from "../core/context.ts";

/** What the bodies of pages' calls are written with. */
export const Uuid = Type.String({
  pattern: "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$",
  errorMessage: "must be a UUID.",
});

/** An object that takes no member beside these. */
export function closed<Members extends TProperties>(members: Members) {
  return Type.Object(members, { additionalProperties: false });
}

/** One out of a list of texts. */
export function oneOf<const Value extends string>(values: readonly Value[]) {
  return Type.Unsafe<Value>({
    ...Type.Union(values.map((value) => Type.Literal(value))),
    errorMessage: `must be one of ${values.join(", ")}.`,
  });
}

/** The id in the path, in lower case; whatever is none finds nothing. */
export function idOf(params: Record<string, string>, name = "id"): string {
  const id = params[name] ?? "";
  if (!isUuid(id)) throw new Refusal("not_found");
  return id.toLowerCase();
}
