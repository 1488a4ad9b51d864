import { parseArgs } from "node:util";
import { ticketFlags } from "../generated/ticket-flags.ts";
import type { TicketFields } from "./create-ticket.ts";
import { durationMs, durationRule } from "./duration.ts";

/** The command was typed wrongly: exit 2, nothing was done. */
export class UsageError extends Error {
  override name = "UsageError";
}

export interface Flag {
  placeholder: string;
  about: string;
  /** The flag may be given several times. */
  many?: true;
  /** Says what the value must be; undefined when the value is right. */
  fault?: (value: string) => string | false;
}

/** The flags of `ticket create` that have a value: one for each field of a ticket, and three for the call itself. */
export const flags: Record<string, Flag> = {
  ...Object.fromEntries(Object.entries<TicketFlag>(ticketFlags).map(([name, flag]) => [name, flagOf(flag)])),
  "idempotency-key": { placeholder: "K", about: "the same key never makes a second ticket; a new UUID when absent" },
  wait: {
    placeholder: "D",
    about: "keep trying this long, such as 90s or 5m; 2m when absent, 0 means one try",
    fault: (value) => durationMs(value) === undefined && durationRule,
  },
  url: { placeholder: "U", about: "where Intake answers; INTAKE_URL when absent" },
};

/** What the generated table declares for a flag. */
interface TicketFlag {
  kind: string;
  placeholder: string;
  help: string;
  required?: true;
  choices?: readonly string[];
  min?: number;
  max?: number;
}

function flagOf({ kind, placeholder, help, required, choices, min = 1, max }: TicketFlag): Flag {
  const about = required ? `${help}; required` : help;
  if (kind === "uuid") return { placeholder, about, fault: (value) => !uuidShape.test(value) && "must be a UUID" };
  if (kind === "date") {
    return { placeholder, about, fault: (value) => !isDay(value) && "must be a day that exists, written YYYY-MM-DD" };
  }
  if (choices) {
    return { placeholder, about, fault: (value) => !choices.includes(value) && `must be one of ${choices.join(", ")}` };
  }
  if (max === undefined) return { placeholder, about };
  const fits = (value: string) => [...value].length >= min && [...value].length <= max;
  return { placeholder, about, fault: (value) => !fits(value) && `must have ${min} to ${max} characters` };
}

export const uuidShape = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The flags that were given; {@link flags} has checked their values. */
export type Given = Partial<TicketFields> & { url?: string; wait?: string; json?: boolean };

/** Reads the flags of a table, each given at most once and with a valid value. Throws {@link UsageError}. */
export function readFlags<T = Given>(args: readonly string[], table: Record<string, Flag> = flags): T {
  const given = parsed(args, table);
  for (const [name, { fault }] of Object.entries(table)) {
    const value = given[name];
    const wrong = typeof value === "string" && fault?.(value);
    if (wrong) throw new UsageError(`--${name}: ${wrong}`);
  }
  return given as T;
}

function parsed(args: readonly string[], table: Record<string, Flag>): Record<string, unknown> {
  const named = Object.entries(table).map(([name, { many = false }]) => [name, { type: "string", multiple: many }]);
  const options = { ...Object.fromEntries(named), json: { type: "boolean" as const } };
  const { values, tokens } = withoutStack(() => parseArgs({ args: [...args], tokens: true, options }));
  const seen = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    if (seen.has(token.name) && !table[token.name]?.many) throw new UsageError(`--${token.name} is given twice`);
    seen.add(token.name);
  }
  return values;
}

/** The message of an error of `parseArgs` is one line that names the wrong argument. */
function withoutStack<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function isDay(value: string): boolean {
  const date = new Date(`${value}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}
