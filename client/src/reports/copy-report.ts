import { toJson } from "../core/json.ts";
import type { Report } from "../types.ts";
import { describeErrors, exceptionOf, isError } from "./exception.ts";

/**
 * Copies a report, by way of JSON. Errors in it are described. A report whose `exception` is an error, or another thrown
 * value that is no object, gets the type, level and title of an error where it has none of its own. Throws
 * `IntakeError` when the report cannot be written as JSON.
 */
export function copyReport(given: Report | Error): Report {
  const thrown = isError(given) ? given : Object(given).exception;
  if (thrown == null || (typeof thrown === "object" && !isError(thrown))) return copyOf(given);
  const exception = exceptionOf(thrown);
  const { type, value } = exception;
  // The server takes titles of 200 characters.
  const title = (type ? `${type}: ${value}` : value).slice(0, 200);
  return { type: "error", level: "error", title, ...copyOf({ ...(given !== thrown && given), exception }) };
}

/** Copies an object. */
export function copyOf(given: unknown): Report {
  return JSON.parse(toJson(given, describeErrors));
}
