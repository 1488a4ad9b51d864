import { readFileSync } from "node:fs";
import { isUuid } from "../../openapi/check.ts";
import { limits } from "../../openapi/schema/limits.ts";

/** A flag, the shape of its value, and where else the value may come from. */
export interface OptionSpec<T> {
  kind: "flag" | "value" | "many";
  placeholder: string;
  about: string;
  env?: string;
  /** Every value there is, for a flag that takes only some. */
  choices?: readonly string[];
  required: boolean;
  /** The value when the flag is not given. */
  absent: T;
  /** Throws an Error that says what the value must be; it never repeats the value. */
  read(values: string[]): T;
}

export type Values<O> = { [K in keyof O]: O[K] extends OptionSpec<infer T> ? T : never };

/** The command was typed wrongly: exit 2, nothing was done. */
export class UsageError extends Error {
  override name = "UsageError";
}

function value<T>(
  placeholder: string,
  about: string,
  read: (value: string) => T,
  { env, choices }: { env?: string; choices?: readonly string[] } = {},
): OptionSpec<T | undefined> {
  return {
    kind: "value",
    placeholder,
    about,
    required: false,
    absent: undefined,
    read: ([given = ""]) => read(given),
    ...(env ? { env } : {}),
    ...(choices ? { choices } : {}),
  };
}

export function flag(about: string): OptionSpec<boolean> {
  return { kind: "flag", placeholder: "", about, required: false, absent: false, read: () => true };
}

export function text(placeholder: string, about: string, more: { env?: string } = {}) {
  return value(
    placeholder,
    about,
    (given) => {
      if (given === "") throw new Error("must not be empty");
      return given;
    },
    more,
  );
}

/** A text that is checked by a use case's own rule, so that a wrong one is a usage error. */
export function checked(
  placeholder: string,
  about: string,
  check: (value: string) => string,
  more: { env?: string } = {},
) {
  return value(placeholder, about, check, more);
}

/** A text that is parsed into a value of another type. */
export function parsed<T>(placeholder: string, about: string, read: (value: string) => T, more: { env?: string } = {}) {
  return value(placeholder, about, read, more);
}

export function uuid(placeholder: string, about: string) {
  return value(placeholder, about, readUuid);
}

export function readUuid(given: string): string {
  if (!isUuid(given)) throw new Error("must be a UUID");
  return given.toLowerCase();
}

export function integer(
  placeholder: string,
  about: string,
  { min, max, env }: { min: number; max: number; env?: string },
) {
  return value(
    placeholder,
    about,
    (given) => {
      const number = Number(given);
      if (!(min < 0 ? /^-?\d+$/ : /^\d+$/).test(given) || number < min || number > max)
        throw new Error(`must be a whole number from ${min} to ${max}`);
      return number;
    },
    env ? { env } : {},
  );
}

export function choice<const C extends readonly string[]>(
  choices: C,
  about: string,
  more: { env?: string } = {},
): OptionSpec<C[number] | undefined> {
  return value<C[number]>(
    choices.join("|"),
    about,
    (given) => {
      if (!choices.includes(given)) throw new Error(`must be one of ${choices.join(", ")}`);
      return given;
    },
    { ...more, choices },
  );
}

export function required<T>(spec: OptionSpec<T | undefined>): OptionSpec<T> {
  return { ...spec, required: true, absent: undefined as T, read: (values) => spec.read(values) as T };
}

export function fallback<T>(spec: OptionSpec<T | undefined>, absent: T): OptionSpec<T> {
  return { ...spec, absent, read: (values) => spec.read(values) as T };
}

/** A flag that may be given several times; without it the value is an empty list. */
export function many<T>(spec: OptionSpec<T | undefined>): OptionSpec<T[]> {
  return {
    ...spec,
    kind: "many",
    absent: [],
    read: (values) => values.map((one) => spec.read([one]) as T),
  };
}

/** The flags of every list. */
export const pageOptions = {
  cursor: text("C", "continue after the last page (the value of its next)"),
  limit: fallback(integer("N", "items on a page", { min: 1, max: limits.pageMax }), limits.pageDefault as number),
};

/** The content of a file without the line end that editors add. */
export function readSecret(path: string): string {
  try {
    return readFileSync(path, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    throw new UsageError(`cannot read the file (${(error as { code?: string }).code})`);
  }
}
