import { type FindingCode, findingCodes, type Severity } from "./finding-codes.ts";

/** What one check of `intake doctor` has found. */
export interface Finding {
  check: string;
  code: FindingCode | "ok";
  severity: Severity | "ok";
  /** False for errors alone: a warning does not fail a script that asks for the exit code. */
  ok: boolean;
  /** What was found and, where something is wrong, what to do. */
  text: string;
  /** What to do, alone; undefined where nothing is wrong. */
  remedy?: string;
}

type Found = Omit<Finding, "check">;

export function good(text: string): Found {
  return { code: "ok", severity: "ok", ok: true, text };
}

/** `found` is what is wrong here; without a `remedy` that is said with names at hand, the one of the code is given. */
export function bad(code: FindingCode, found: string, remedy: string = findingCodes[code].remedy): Found {
  const { severity } = findingCodes[code];
  const joint = /^\p{Lu}/u.test(remedy) ? ". " : "; ";
  return { code, severity, ok: severity !== "error", text: `${found}${joint}${remedy}`, remedy };
}

/** Makes a check; `failed` is the code of a check that throws, whose message says what to do. */
export async function look(
  check: string,
  find: () => Found | Promise<Found>,
  failed: FindingCode = "check_failed",
): Promise<Finding> {
  try {
    return { check, ...(await find()) };
  } catch (error) {
    return { check, ...failure(failed, error) };
  }
}

/** The finding that an error makes: its message says what is wrong, and often what to do. */
export function failure(code: FindingCode, error: unknown): Found {
  const { message } = error as Error;
  const { severity, remedy } = findingCodes[code];
  return { code, severity, ok: severity !== "error", text: message, remedy };
}

/** `1 attachment`, `2 attachments`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}
