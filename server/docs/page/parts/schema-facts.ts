import type { Schema } from "./api.ts";
import { count } from "./prose.ts";

/** `string (uuid) or null`, `array of objects`. */
export function typeOf({ type, format, items }: Schema): string {
  const types = [type ?? "any"].flat();
  return types
    .map((name) => {
      if (name === "array") return items?.type === "object" ? "array of objects" : "array";
      return name === "string" && format !== undefined ? `string (${format})` : name;
    })
    .join(" or ");
}

/** The other limits of a value, in words. */
export function factsOf(schema: Schema): string[] {
  const { minLength: min, maxLength: max, minimum, maxProperties, pattern } = schema;
  const facts: string[] = [];
  if (max !== undefined) facts.push(`${min === undefined ? "up to" : `${min} to`} ${count(max)} characters`);
  if (minimum !== undefined) facts.push(`${count(minimum)} or more`);
  if (maxProperties !== undefined) facts.push(`up to ${count(maxProperties)} members`);
  if (pattern !== undefined) facts.push(`matches ${pattern}`);
  if (schema.default !== undefined) facts.push(`${String(schema.default)} when left out`);
  return facts;
}
