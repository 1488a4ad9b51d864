import { parseArgs } from "node:util";
import { hideCredentials } from "../core/credential.ts";
import { plainJson } from "../text/plain-json.ts";
import type { Io } from "./io.ts";
import { fallback, flag, type OptionSpec, readSecret, text, UsageError, type Values } from "./options.ts";

/** One command of the binary. `name` is what people type: `token create`. */
export interface Command {
  name: string;
  summary: string;
  /** Names of the words after the command: `["ID"]`, or `["[ID]"]` for one that may be left out. */
  words: readonly string[];
  /** Every value there is, for a word that takes only some: `{ ROLE: ["admin", "member"] }`. */
  wordChoices?: Readonly<Record<string, readonly string[]>>;
  options: Record<string, OptionSpec<unknown>>;
  example: string;
  /** Text below the flags in the help of the command. */
  notes?: string;
  run(given: Given<Record<string, unknown>>): Promise<unknown>;
}

interface Given<Options> {
  options: Options;
  words: string[];
  io: Io;
  /** Loads every command of the binary. */
  commands: () => Promise<readonly Command[]>;
}

/** Flags of every command. */
export const commonOptions = {
  data: fallback(text("DIR", "data directory", { env: "INTAKE_DATA" }), "./data"),
  json: flag("print JSON for scripts"),
};

type Common = Values<typeof commonOptions>;

/** Declares a command, so that `run` receives typed flags. */
export function command<const O extends Record<string, OptionSpec<unknown>>>(declared: {
  name: string;
  summary: string;
  words?: readonly string[];
  wordChoices?: Readonly<Record<string, readonly string[]>>;
  options?: O;
  example: string;
  notes?: string;
  run(given: Given<Values<O> & Common>): Promise<unknown>;
}): Command {
  return {
    ...declared,
    words: declared.words ?? [],
    options: { ...declared.options, ...commonOptions },
    run: declared.run as Command["run"],
  };
}

/** Flag > environment > file named by the environment > default. Throws {@link UsageError}, echoing no credential. */
export function parse({ words, options }: Command, args: string[], environment: NodeJS.ProcessEnv) {
  const { tokens } = parseArgs({
    args,
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: Object.fromEntries(
      Object.entries(options).map(([name, { kind }]) => [
        name,
        { type: kind === "flag" ? ("boolean" as const) : ("string" as const), multiple: true },
      ]),
    ),
  });
  const given = new Map<string, string[]>();
  const positionals: string[] = [];
  let before: string | undefined;
  for (const token of tokens) {
    if (token.kind === "positional" && positionals.push(token.value) > words.length) {
      throw new UsageError(tooMany(token.value, before, options));
    }
    before = token.kind === "option" ? token.name : undefined;
    if (token.kind !== "option") continue;
    const spec = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (!spec) throw new UsageError(`unknown flag ${token.rawName}`);
    const values = given.get(token.name) ?? [];
    if (values.length > 0 && spec.kind !== "many") throw new UsageError(`--${token.name} is given twice`);
    values.push(valueGiven(token, spec));
    given.set(token.name, values);
  }
  const missing = words[positionals.length];
  if (missing && !missing.startsWith("[")) throw new UsageError(`${missing} is missing`);

  const parsed: Record<string, unknown> = {};
  for (const [name, spec] of Object.entries(options)) {
    parsed[name] = resolveOption(name, spec, given.get(name), environment);
  }
  return { options: parsed, words: positionals };
}

/** What is said of a word that the command has no place for. `before` is the flag right before it. */
function tooMany(word: string, before: string | undefined, options: Command["options"]): string {
  const shown = plainJson(JSON.stringify(hideCredentials(word, "…").slice(0, wordShown)));
  if (before === undefined) return `${shown} is a word too many`;
  const takesNone = options[before]?.kind === "flag";
  return `${shown} after --${before} is a word too many: ${takesNone ? "the flag takes no value" : "a value with blanks needs quotes"}`;
}

/** Characters of a wrong word that are repeated. */
const wordShown = 80;

function valueGiven(
  token: { name: string; value: string | undefined; inlineValue: boolean | undefined },
  { kind }: OptionSpec<unknown>,
): string {
  if (kind === "flag") {
    if (token.value !== undefined) throw new UsageError(`--${token.name} takes no value`);
    return "";
  }
  if (token.value === undefined) throw new UsageError(`--${token.name} needs a value`);
  // One dash alone stands for stdout.
  if (!token.inlineValue && token.value.startsWith("-") && token.value !== "-") {
    throw new UsageError(`--${token.name} needs a value; one that begins with - is written --${token.name}=…`);
  }
  return token.value;
}

export function resolveOption(
  name: string,
  spec: OptionSpec<unknown>,
  given: string[] | undefined,
  environment: NodeJS.ProcessEnv,
): unknown {
  if (given) return readValue(`--${name}`, () => spec.read(given));
  const { env } = spec;
  if (env) {
    const value = environment[env];
    if (value) return readValue(env, () => spec.read(spec.kind === "many" ? value.split(",") : [value]));
    const file = environment[`${env}_FILE`];
    if (file) return readValue(`${env}_FILE`, () => spec.read([readSecret(file)]));
  }
  if (spec.required) throw new UsageError(`--${name} is required`);
  return spec.absent;
}

/** What `read` returns; its error names the flag or variable that the value came from. */
export function readValue<T>(source: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UsageError(`${source}: ${(error as Error).message}`);
  }
}
