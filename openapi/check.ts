import type { TArray, TObject, TSchema } from "@sinclair/typebox";
import type { Fault, FaultCode } from "./schema/errors.ts";
import { limits } from "./schema/limits.ts";

/**
 * Turns the schema of a closed object into a function that finds every fault in a parsed body. Written here, because
 * the contract asks for what no JSON Schema checker gives: lengths in code points, one code per member by a fixed order
 * of precedence, and real calendar days.
 */
export function checker(schema: TObject): (body: Record<string, unknown>) => Fault[] {
  const check = objectCheck(schema, "");
  return (body) => {
    const faults: Fault[] = [];
    check(body, faults);
    return faults;
  };
}

function objectCheck(schema: TObject, at: string) {
  const required = new Set(schema.required);
  const members = Object.entries(schema.properties).map(([name, member]) => ({
    name,
    path: `${at}/${name}`,
    check: memberCheck(member, `${at}/${name}`, name),
    required: required.has(name),
  }));
  const known = new Set(members.map(({ name }) => name));

  return (body: Record<string, unknown>, faults: Fault[]) => {
    for (const { name, path, check, required } of members) {
      if (Object.hasOwn(body, name)) check(body[name], faults);
      else if (required) faults.push(fault(path, "required", `${name} is required.`));
    }
    for (const name of Object.keys(body)) {
      if (known.has(name)) continue;
      if (faults.length >= limits.faultsMax) break;
      faults.push(fault(at + pointer(name), "unknown_field", "This field is not known. Leave it out."));
    }
  };
}

export function fault(path: string, code: FaultCode, message: string): Fault {
  return { path, code, message };
}

type Check = (value: unknown, faults: Fault[]) => void;
type Found = { code: FaultCode; text: string } | undefined;

function memberCheck(schema: TSchema, path: string, name: string): Check {
  if (schema.type === "object") return nested(objectCheck(schema as TObject, path), path, name);
  if (schema.type === "array") return listCheck(schema as TArray, path, name);
  const check = schema.type === "integer" ? integerCheck(schema) : textCheck(schema);
  return (value, faults) => {
    const found = check(value);
    if (found) faults.push(fault(path, found.code, `${name} ${found.text}`));
  };
}

function nested(check: (body: Record<string, unknown>, faults: Fault[]) => void, path: string, name: string): Check {
  return (value, faults) => {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      check(value as Record<string, unknown>, faults);
    } else {
      faults.push(fault(path, "wrong_type", `${name} must be an object.`));
    }
  };
}

function listCheck({ items, maxItems = Number.POSITIVE_INFINITY }: TArray, path: string, name: string): Check {
  return (value, faults) => {
    if (!Array.isArray(value)) {
      faults.push(fault(path, "wrong_type", `${name} must be a list.`));
    } else if (value.length > maxItems) {
      faults.push(fault(path, "too_long", `${name} must have at most ${maxItems} items.`));
    } else {
      for (const [index, item] of value.entries()) memberCheck(items, `${path}/${index}`, name)(item, faults);
    }
  };
}

function integerCheck({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: TSchema) {
  return (value: unknown): Found => {
    if (typeof value !== "number" || !Number.isInteger(value)) {
      return { code: "wrong_type", text: "must be a whole number." };
    }
    if (value >= minimum && value <= maximum) return undefined;
    return {
      code: "bad_value",
      text: `must be from ${minimum.toLocaleString("en")} to ${maximum.toLocaleString("en")}.`,
    };
  };
}

function textCheck(schema: TSchema) {
  const types = [schema.type].flat();
  if (!types.includes("string")) throw new Error(`a member of type ${types.join(" or ")} is not known here`);
  const nullable = types.includes("null");
  const check = stringCheck(schema);
  const wanted = nullable ? "must be a string or null." : "must be a string.";

  return (value: unknown): Found => {
    if (typeof value === "string") return check(value);
    if (value !== null) return { code: "wrong_type", text: wanted };
    return nullable ? undefined : { code: "wrong_type", text: "must not be null; leave it out." };
  };
}

function stringCheck({ minLength = 0, maxLength = Number.POSITIVE_INFINITY, format, enum: values }: TSchema) {
  const isFormat = format === undefined ? undefined : formats[format as keyof typeof formats];
  return (value: string): Found => {
    if (value.length < minLength) return { code: "too_short", text: `must have at least ${minLength} character.` };
    if (longerThan(value, maxLength)) {
      return { code: "too_long", text: `must have at most ${maxLength.toLocaleString("en")} characters.` };
    }
    if (isFormat && !isFormat.test(value)) return { code: "bad_format", text: isFormat.text };
    if (values && !values.includes(value)) {
      return { code: "bad_value", text: `must be one of ${values.join(", ")}.` };
    }
    if (!isPlain(value)) {
      return { code: "bad_characters", text: "must not contain U+0000 or half of a surrogate pair." };
    }
    return undefined;
  };
}

/**
 * Whether a text has more than `max` code points. Counts them only when the length in UTF-16 units, which is never
 * smaller, does not decide.
 */
export function longerThan(value: string, max: number): boolean {
  if (value.length <= max) return false;
  if (value.length > 2 * max) return true;
  let points = 0;
  for (const _ of value) if (++points > max) return true;
  return false;
}

/**
 * Whether every database that Intake supports stores the text and returns it unchanged: U+0000 and lone surrogates are
 * not.
 */
export function isPlain(value: string): boolean {
  return value.isWellFormed() && !value.includes("\0");
}

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const dayShape = /^(\d{4})-(\d{2})-(\d{2})$/;

/** A UUID of RFC 9562 in either case; every version, the nil and the max UUID included. */
export function isUuid(value: string): boolean {
  return uuidShape.test(value);
}

/** Whether the day exists in the Gregorian calendar: `2026-02-29` does not. */
export function isDay(value: string): boolean {
  const parts = dayShape.exec(value);
  if (!parts) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
  return days !== undefined && day >= 1 && day <= days;
}

const formats = {
  uuid: { test: isUuid, text: "must be a UUID." },
  date: { test: isDay, text: "must be a day that exists, written YYYY-MM-DD." },
};

/** A JSON pointer (RFC 6901), cut: a member name may be as long as the body, the pointer may not. */
export function pointer(name: string): string {
  const cut = name.length > limits.faultPathMax ? name.slice(0, limits.faultPathMax) : name;
  return `/${cut.toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
