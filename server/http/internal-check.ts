import type { TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { type ValueError, ValueErrorType } from "@sinclair/typebox/errors";
import { fault, isPlain, pointer } from "../../openapi/check.ts";
import type { Fault, FaultCode } from "../../openapi/schema/errors.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { InvalidInput } from "./answer.ts";

const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>();

/**
 * Throws `invalid_input` for the body of a page's call that does not fit its schema, or has text that no database can
 * store.
 */
export function checkInternal(schema: TSchema, body: unknown) {
  let check = compiled.get(schema);
  if (!check) {
    check = TypeCompiler.Compile(schema);
    compiled.set(schema, check);
  }
  const faults: Fault[] = [];
  if (!check.Check(body)) {
    for (const error of check.Errors(body)) {
      if (faults.some(({ path }) => path === error.path)) continue;
      if (faults.push(faultOf(error)) >= limits.faultsMax) break;
    }
    throw new InvalidInput(faults);
  }
  findUnstorable(body, "", faults);
  if (faults.length > 0) throw new InvalidInput(faults);
}

function faultOf(error: ValueError): Fault {
  const code = codes[error.type] ?? (error.value === undefined ? "required" : "wrong_type");
  const custom: unknown = error.schema["errorMessage"];
  return fault(error.path, code, typeof custom === "string" ? custom : `${error.message}.`);
}

const codes: Partial<Record<ValueErrorType, FaultCode>> = {
  [ValueErrorType.ObjectRequiredProperty]: "required",
  [ValueErrorType.ObjectAdditionalProperties]: "unknown_field",
  [ValueErrorType.StringMinLength]: "too_short",
  [ValueErrorType.StringMaxLength]: "too_long",
  [ValueErrorType.ArrayMaxItems]: "too_long",
  [ValueErrorType.StringFormat]: "bad_format",
  [ValueErrorType.StringPattern]: "bad_format",
  [ValueErrorType.Literal]: "bad_value",
  [ValueErrorType.Union]: "bad_value",
  [ValueErrorType.IntegerMinimum]: "bad_value",
  [ValueErrorType.IntegerMaximum]: "bad_value",
  [ValueErrorType.NumberMinimum]: "bad_value",
  [ValueErrorType.NumberMaximum]: "bad_value",
};

function findUnstorable(value: unknown, path: string, faults: Fault[]) {
  if (typeof value === "string" && !isPlain(value)) {
    faults.push(fault(path, "bad_characters", "must not contain U+0000 or half of a surrogate pair."));
  } else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) findUnstorable(member, path + pointer(name), faults);
  }
}
